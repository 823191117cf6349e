/** A connection to a real Redis. Its replies are values; that they hold every byte is checked. */
import net from 'node:net'
import { encodeReply, encodeRequest, type Reply, ReplyParser } from '../../src/wire/resp.ts'

export class RealConnection {
  readonly #socket: net.Socket
  readonly #parser = new ReplyParser()
  readonly #replies: Reply[] = []
  #wake: (() => void) | null = null
  #failure: Error | null = null
  /** What came, and what is made of it again: the two must be alike, or parsing has lost something. */
  #received: Buffer[] = []
  #encoded: Buffer[] = []

  constructor(socket: net.Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#received.push(chunk)
      for (const reply of this.#parser.push(chunk)) {
        this.#replies.push(reply)
        this.#encoded.push(encodeReply(reply))
      }
      this.#wake?.()
    })
    socket.on('error', (fault) => {
      this.#failure = fault
      this.#wake?.()
    })
    socket.on('close', () => {
      this.#failure ??= new Error('the server closed the connection')
      this.#wake?.()
    })
  }

  static open(port: number): Promise<RealConnection> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(new RealConnection(socket)))
      socket.once('error', reject)
    })
  }

  send(commands: readonly (readonly Buffer[])[]): void {
    this.#socket.write(Buffer.concat(commands.map((args) => encodeRequest(args))))
  }

  /** The next `count` replies. Fails when parsing has lost anything of the bytes. */
  async receive(count: number): Promise<Reply[]> {
    while (this.#replies.length < count) {
      if (this.#failure !== null) throw this.#failure
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = null
    }
    const replies = this.#replies.splice(0, count)
    if (this.#replies.length === 0) this.#checkNothingLost()
    return replies
  }

  #checkNothingLost(): void {
    const raw = Buffer.concat(this.#received)
    if (!raw.equals(Buffer.concat(this.#encoded))) {
      const shown = JSON.stringify(raw.toString('latin1'))
      throw new Error(`these bytes do not survive parsing: ${shown}`)
    }
    this.#received = []
    this.#encoded = []
  }

  async run(...command: (string | Buffer)[]): Promise<Reply> {
    this.send([command.map((arg) => (typeof arg === 'string' ? Buffer.from(arg, 'latin1') : arg))])
    return (await this.receive(1))[0] as Reply
  }

  close(): void {
    this.#socket.destroy()
  }
}
