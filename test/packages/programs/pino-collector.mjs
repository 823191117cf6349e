/** Takes lines of JSON over TCP and tells how many came, and how many connections brought them. */

import assert from 'node:assert/strict'
import net from 'node:net'
import { createInterface } from 'node:readline'

let connections = 0
const lines = []

net
  .createServer((socket) => {
    connections += 1
    socket.on('error', () => {})
    createInterface({ input: socket }).on('line', (text) => {
      const line = JSON.parse(text)
      lines.push(line)
      if (line.msg !== 'done') return
      assert.ok(connections >= 2)
      assert.ok(lines.every(({ level, time, pid }) => level >= 30 && time > 0 && pid === 1))
      assert.deepEqual(lines.find(({ err }) => err !== undefined).err.type, 'RangeError')
      assert.equal(lines.find(({ user }) => user !== undefined).user.password, '[Redacted]')
      console.log(lines.length, 'lines over', connections, 'connections')
      console.log('ok')
      process.exit()
    })
  })
  .listen(5170)
