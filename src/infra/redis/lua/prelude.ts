/**
 * The part of the sandbox that is written in Lua: what a script may see, and that it may not change
 * it. Runs once in a new machine, before any script.
 *
 * Redis marks tables read-only inside its own Lua; plain Lua cannot, so a script sees each protected
 * table through an empty stand-in that reads through and refuses writes. The base functions that look
 * behind the stand-ins are in stand-ins.ts.
 *
 * The chunk returns: the table of globals, the stand-in that scripts get as their environment, and
 * the error handler, which turns any error into a table with the place where it happened.
 */
export const PRELUDE_NAME = '@sandbox'

export const PRELUDE = `
local getinfo, stand_in_for = debug.getinfo, stand_in_for
local error, tostring, type, next, setmetatable = error, tostring, type, next, setmetatable

local function refuse()
  error('Attempt to modify a readonly table', 2)
end

local function protect(target, has_metatable)
  local stand_in, meta = {}, { __index = target, __newindex = refuse }
  if has_metatable then
    local shown = {}
    meta.__metatable = setmetatable(shown, {
      __index = { __index = function() end }, __newindex = refuse, __metatable = shown,
    })
    stand_in_for(shown, {}, true)
  end
  setmetatable(stand_in, meta)
  stand_in_for(stand_in, target, has_metatable)
  return stand_in
end

local function describe(failure)
  local level = 2
  local at = getinfo(level, 'Sl')
  if at and at.what == 'C' then
    level = 3
    at = getinfo(level, 'Sl')
  end
  while at and at.source == '${PRELUDE_NAME}' do
    level = level + 1
    at = getinfo(level, 'Sl')
  end
  if type(failure) ~= 'table' then failure = { err = 'ERR ' .. tostring(failure) } end
  if at then
    failure.source = at.source
    failure.line = at.currentline
  end
  return failure
end

local function missing(name)
  local refusal = name .. ' is not part of this server: see the support table of its README'
  return setmetatable({}, { __index = function() error(refusal, 2) end })
end

local globals = {}
for _, name in next, {
  'assert', 'collectgarbage', 'coroutine', 'error', 'gcinfo', 'getmetatable', 'ipairs', 'load',
  'loadstring', 'next', 'pairs', 'pcall', 'rawequal', 'rawget', 'rawset', 'select', 'setmetatable',
  'tonumber', 'tostring', 'type', 'unpack', 'xpcall', '_VERSION',
} do
  globals[name] = _G[name]
end
for _, name in next, { 'string', 'table', 'math', 'redis', 'bit', 'cjson', 'coroutine' } do
  globals[name] = protect(_G[name])
end
globals.cmsgpack = protect(missing('cmsgpack'))
globals.struct = protect(missing('struct'))

setmetatable(globals, {
  __index = function(_, name)
    error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
  end,
})
local environment = protect(globals, true)
globals._G = environment
globals.__redis__err__handler = describe
getmetatable('').__metatable = protect({ __index = globals.string })
return globals, environment, describe
`
