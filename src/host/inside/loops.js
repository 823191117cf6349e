/**
 * The function that every loop of a program's own files calls at each round (../modules/loops.ts).
 *
 * It is made within the realm, so that V8 puts it in line. It tells the host at every 65536 rounds'
 * worth: the world decides what is too much. It cannot be replaced.
 *
 * bridge: name of the global · spent(site, rounds)
 */
;(bridge) => {
  const { name, spent } = bridge
  const CHUNK = 65536
  let left = CHUNK
  const round = (site, cost) => {
    left -= cost
    if (left > 0) return
    left += CHUNK
    spent(site, CHUNK)
  }
  Object.freeze(round)
  Object.defineProperty(globalThis, name, { value: round })
}
