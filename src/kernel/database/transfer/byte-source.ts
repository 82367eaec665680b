const lineEnd = 10
/** More than any header needs; a wrong file without line ends must not fill the memory. */
const maximumLine = 64 * 1024 * 1024

/** Takes lines and rows out of a stream of bytes. */
export interface ByteSource {
  line(): Promise<string>
  /** Everything before the line that equals the marker; that line is taken too. */
  until(marker: string): AsyncGenerator<Buffer>
  /** Fails when something follows. */
  end(): Promise<void>
}

export function openByteSource(chunks: AsyncIterator<Buffer>, damaged: (reason: string) => Error): ByteSource {
  let rest: Buffer = Buffer.alloc(0)

  const readMore = async () => {
    const { done, value } = await chunks.next()
    if (done) throw damaged('it ends early')
    rest = value
  }

  return {
    async line() {
      const parts: Buffer[] = []
      for (let length = 0; length < maximumLine; length += rest.length) {
        const at = rest.indexOf(lineEnd)
        if (at !== -1) {
          parts.push(rest.subarray(0, at))
          rest = rest.subarray(at + 1)
          return Buffer.concat(parts).toString()
        }
        parts.push(rest)
        await readMore()
      }
      throw damaged('a line is too long')
    },

    async *until(marker) {
      const end = Buffer.from(`\n${marker}\n`)
      // Rows begin after a line end that is no part of them, so that the marker of an empty table is found alike.
      let window = Buffer.concat([Buffer.from('\n'), rest])
      let skip = 1
      for (;;) {
        const at = window.indexOf(end)
        if (at !== -1) {
          rest = window.subarray(at + end.length)
          if (at + 1 > skip) yield window.subarray(skip, at + 1)
          return
        }
        // The last bytes wait for more, because the marker may be cut in two.
        const ready = window.length - end.length + 1
        if (ready > skip) {
          yield window.subarray(skip, ready)
          window = window.subarray(ready)
          skip = 0
        }
        await readMore()
        window = Buffer.concat([window, rest])
      }
    },

    async end() {
      const { done } = await chunks.next()
      if (!done || rest.length > 0) throw damaged('something follows its end')
    },
  }
}
