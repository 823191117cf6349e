import { describe, expect, it } from 'vitest'
import { maskAddress } from '../../src/wire/mask-address.ts'

describe('an address', () => {
  it.each([
    ['postgres://u:secret@h:5432/db', 'postgres://u:***@h:5432/db'],
    ['postgresql://u:se@cr/e:t@h/db', 'postgresql://u:***@h/db'],
    ['postgres://:secret@h/db', 'postgres://:***@h/db'],
    ['postgres://u@h:5432/db', 'postgres://u@h:5432/db'],
    ['postgres://h:5432/db', 'postgres://h:5432/db'],
    ['postgres://u@h/db?password=secret&x=1', 'postgres://u@h/db?password=***&x=1'],
    ['postgres://u@h/db?sslpassword=secret', 'postgres://u@h/db?sslpassword=***'],
    ['u:secret@h/db', 'u:***@h/db'],
    ['redis://u:secret@h', 'redis://u:***@h'],
  ])('%s is shown as %s', (url, shown) => {
    expect(maskAddress(url)).toBe(shown)
  })
})
