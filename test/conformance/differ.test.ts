import { expect, it } from 'vitest'
import { sameReply } from './differ.ts'

it('near: times may differ a little, "no expiry" and "no such key" may not', () => {
  expect(sameReply(1000, 1900, 'near')).toBe(true)
  expect(sameReply(1000, 4000, 'near')).toBe(false)
  expect(sameReply(-1, -2, 'near')).toBe(false)
  expect(sameReply([Buffer.from('1-1')], [Buffer.from('1-2')], 'near')).toBe(false)
})
