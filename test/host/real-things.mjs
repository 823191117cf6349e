/**
 * What must never get into a world: the machine's clocks, chance, timers, files and threads, and a
 * place that all processes share. A test's child hands it out, so that what finds leaks can be seen
 * finding them.
 */

import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzip } from 'node:zlib'

export const realThings = {
  setTimeout,
  setImmediate,
  sleep,
  readFile: fs.readFile,
  readFileSync: fs.readFileSync,
  readFileLater: fs.promises.readFile,
  pbkdf2: crypto.pbkdf2,
  randomBytes: crypto.randomBytes,
  randomUUID: crypto.randomUUID,
  gzip,
  Date,
  random: Math.random,
  hrtime: process.hrtime.bigint,
  performance,
  process,
  os,
  MessageChannel,
  shared: {},
}
realThings.default = realThings
