/** A connection to a real Redis that gives replies as raw RESP. One command after the other. */
import net from 'node:net'
import { encodeReply, encodeRequest, type Reply, ReplyParser } from '../../src/wire/resp.ts'

export class RealConnection {
  readonly #socket: net.Socket
  readonly #parser = new ReplyParser()
  readonly #replies: Reply[] = []
  #wake: (() => void) | null = null
  #failure: Error | null = null
  #received: Buffer[] = []

  constructor(socket: net.Socket) {
    this.#socket = socket
    socket.on('data', (chunk) => {
      this.#received.push(chunk)
      this.#replies.push(...this.#parser.push(chunk))
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
    if (this.#replies.length === 0) {
      const raw = Buffer.concat(this.#received)
      this.#received = []
      if (!raw.equals(Buffer.concat(this.#pending(replies)))) {
        throw new Error(
          `these bytes do not survive parsing: ${JSON.stringify(raw.toString('latin1'))}`,
        )
      }
    } else this.#carried.push(...replies)
    return replies
  }

  readonly #carried: Reply[] = []

  #pending(replies: readonly Reply[]): Buffer[] {
    return [...this.#carried.splice(0), ...replies].map(encodeReply)
  }

  async run(...command: (string | Buffer)[]): Promise<Reply> {
    this.send([command.map((arg) => (typeof arg === 'string' ? Buffer.from(arg, 'latin1') : arg))])
    return (await this.receive(1))[0] as Reply
  }

  close(): void {
    this.#socket.destroy()
  }
}
