/**
 * Measured by `leaselab bench`: what counting rounds costs a program that only computes. Digests of
 * strings, character by character: rounds as small as a program's own may be.
 */

const texts = Array.from({ length: 200 }, (_, k) => `user-${k}-`.repeat(20))
let sum = 0

function digest(text: string): number {
  let hash = 0x811c9dc5
  for (let k = 0; k < text.length; k += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(k), 0x01000193)
  }
  return hash >>> 0
}

let turns = Number(process.env.TURNS ?? 100)
const turn = setInterval(() => {
  for (const text of texts) for (let k = 0; k < 10; k += 1) sum += digest(text)
  turns -= 1
  if (turns === 0) clearInterval(turn)
}, 1)
process.on('exit', () => console.log(sum))
