/** Numbers in scripts where 32 and 64 bits, or C and JavaScript, part ways. */
import type { Family } from '../case.ts'

const run = (texts: readonly string[]): string[] =>
  texts.map((text) => `EVAL ${JSON.stringify(text)} 0`)
/** Each of `templates` with each of `values` in the place of `@`. */
const each = (values: readonly string[], templates: readonly string[]): string[] =>
  run(templates.flatMap((template) => values.map((value) => template.replaceAll('@', value))))

const WIDE = [
  ...['2^31', '2^31-1', '-2^31', '-2^31-1', '2^32', '2^32+2', '2^32-1', '-2^32+2', '2^40', '-2^40'],
  ...['2^53', '2^63', '-2^63', '2^64', '1e300', '-1e300', '0/0', '1/0', '-1/0', '1.9', '-0.5'],
  "'4294967298'",
]

const HALVES = [
  ...['12345678901234.5', '12345678901235.5', '-12345678901234.5', '2^-25', '2^-26', '1.5*2^-25'],
  ...[
    '0.1',
    '0.1+0.2',
    '1e14',
    '1e15',
    '1e16',
    '1e17',
    '99999999999999.5',
    '1e-4',
    '1e-5',
    '5e-324',
  ],
  ...[
    '1.7976931348623157e308',
    '-0',
    '2^53',
    '-2^53',
    '2^60',
    '123456789.123456789',
    '1e100',
    '1e-7',
  ],
]

export const luaNumbers: Family = {
  name: 'numbers in scripts',
  cases: [
    {
      title: 'string.format writes whole numbers of 64 bits',
      steps: [
        ...each(WIDE, [
          "return string.format('%d|%i|%u', @, @, @)",
          "return string.format('%x|%X|%o|%#x|%#o', @, @, @, @, @)",
          "return string.format('%+d|% d|%24d|%-24d|%024d', @, @, @, @, @)",
          "return string.format('%.22d|%30.22d|%-+30.22d|%.0d', @, @, @, @)",
          "return #string.format('%c', @)",
          "return string.format('%g|%s|%.3f|%e', @, @, @, @)",
        ]),
        ...run([
          "return string.format('%d%%%d|%s', 1, 2^40, 'x')",
          "return ('%x %x'):format(2^40, -1)",
          "return string.format('%d')",
          "return string.format('%d %d', 2^40)",
          "return string.format('%d', {})",
          "return string.format('%d %y', 2^40, 1)",
          "return string.format('%ld', 2^40)",
          "return string.format('%123d', 2^40)",
          "return string.format('%.123d', 2^40)",
          "return string.format('%-+ #0d', 2^40)",
          "return string.format('%-+ #00d', 2^40)",
          "return string.format('%d %', 2^40)",
          "return {pcall(string.format, '%d', 2^40)}",
          "return string.format('%s %d', 'a', 'b')",
        ]),
      ],
    },
    {
      title: 'the libraries of Lua take places and counts of any size',
      steps: each(WIDE, [
        "return {string.sub('hello', @), string.sub('hello', 2, @), string.sub('hello', @, @)}",
        "return {string.byte('hello', @), string.byte('hello', 2, @)}",
        "return {string.find('hello', 'l', @)}",
        "return {string.find('hello', 'l', @, true)}",
        "return {string.match('hello', 'l+', @)}",
        "return {string.gsub('hello', 'l', 'L', @)}",
        "return {select(@, 'a', 'b', 'c')}",
        'return {unpack({1,2,3}, @)}',
        'return {unpack({1,2,3}, 2, @)}',
        'return {unpack({1,2,3}, @, @)}',
        "return table.concat({1,2,3}, ',', @)",
        "return table.concat({1,2,3}, ',', @, @)",
        'return table.remove({1,2,3}, @)',
        'local t = {1,2,3} table.insert(t, @) return tostring(t[4])',
        'return {pcall(string.char, 65, @)}',
        "return tonumber('11', @)",
        'return tostring(math.ldexp(1, @))',
        "error('x', @)",
        'return tostring(redis.set_repl(@))',
        "return redis.log(@, 'x')",
      ]),
    },
    {
      title: 'table.insert and string.rep keep the low 32 bits of a count',
      steps: [
        ...each(
          ['2^32', '2^32+2', '-2^32+1', '1e300', '0/0', '1.5', '-1', '7'],
          ["local t = {1,2,3} table.insert(t, @, 'x') return t"],
        ),
        ...each(['2^32', '2^32+3', '2^31', '1e300', '0/0', '2.9'], ["return string.rep('ab', @)"]),
      ],
    },
    {
      title: 'math.random and math.randomseed count in C integers',
      steps: each(WIDE, [
        'math.randomseed(@) return {math.random(1000), math.random(1000)}',
        'math.randomseed(1) return tostring(math.random(@))',
        'math.randomseed(1) return tostring(math.random(1, @))',
        'math.randomseed(1) return tostring(math.random(@, 5))',
        'math.randomseed(1) return tostring(math.random(@, @))',
      ]),
    },
    {
      title: 'tonumber reads other bases to the end of 64 bits',
      steps: run(
        [
          ...["'zz', 36", "'ff', 16", "'0xff', 16", "'0x', 16", "' ff ', 16", "'12', 2", "'', 8"],
          ...["'100000000', 16", "'ffffffffffffffff', 16", "'10000000000000000', 16", "'-1', 16"],
          ...["'-7fffffffffffffff', 16", "'zzzzzzzzzzzzzzzz', 36", "'1.5', 8", "'99', 10", '11, 2'],
          ...["'1e5', 10", "'ff', 37", "'1', 1", '{}, 16', 'nil, 16', "'- 1', 16", "'+1', 16"],
          ...["'1\\0', 16", "'-zzzzzzzzzzzzzzzz', 36"],
        ].map((given) => `return string.format('%.0f', tonumber(${given}) or -7)`),
      ),
    },
    {
      title: 'cjson writes numbers with 14 digits, half-way ones to the even digit',
      steps: each(
        [...WIDE, ...HALVES],
        [
          'return cjson.encode({@})',
          'return cjson.encode({[tostring(@)]=@})',
          'local t = {} t[@] = 1 return cjson.encode(t)',
          "local t = {'a'} t[@] = 1 return cjson.encode(t)",
          'return tostring(cjson.decode(cjson.encode(@)))',
        ],
      ),
    },
    {
      title: 'cjson.decode reads what strtod reads',
      steps: each(
        [
          ...['0X1p4', '0x1.8p1', '0x', '0x.8', '0x1p', '-0x10', 'nan(1)', 'nan()', 'nan(', 'inf'],
          ...[
            '-inf',
            'infinity',
            'infinit',
            '+5',
            '+',
            '-',
            '+.5',
            '-.5',
            '.5',
            '.',
            '1.',
            '1e',
            '1e+',
          ],
          ...['1e400', '1e-400', '9007199254740993', '18446744073709551616', '2147483648', '1\\0'],
          ...[
            '\\0',
            '[\\0]',
            '[1\\0]',
            '[1]\\0x',
            '\\0\\0',
            '"a\\0b"',
            'i',
            'n',
            '-i',
            '00',
            '01',
            '-01',
          ],
        ],
        ["local ok, e = pcall(cjson.decode, '@') return type(e) .. tostring(e):gsub('0x%x+', '')"],
      ),
    },
    {
      title: 'bit takes numbers of any size',
      steps: each(
        [...WIDE, '2^51', '2^51+0.5', '2^52-1', '-2^51-1', '2^31+0.5', '2^32+0.5', '1e15+0.3'],
        [
          'return {bit.tobit(@), bit.bnot(@), bit.band(@, -1), bit.bor(@, 0), bit.bxor(@, 5)}',
          'return {bit.lshift(1, @), bit.rshift(-1, @), bit.arshift(@, 1), bit.rol(@, 3)}',
          'return {bit.ror(@, 3), bit.bswap(@), bit.tohex(@)}',
        ],
      ),
    },
    {
      title: 'numbers as arguments of commands, as keys and as replies',
      steps: each(
        [...WIDE, ...HALVES],
        [
          "return redis.call('echo', @)",
          "redis.call('set', 'k', @) return redis.call('append', 'k', @)",
          'return {double=@}',
          'return {@}',
          'return tostring(@)',
          "return @ .. ''",
        ],
      ),
    },
  ],
}
