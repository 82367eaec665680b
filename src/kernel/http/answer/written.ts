import { inAnotherTurn } from '../../thread/turn.ts'
import type { Pieces } from '../../wire/long-lists.ts'

/** Past this time others come first. */
const sliceMs = 2
/** Up to this size, in characters, an answer is sent as a whole. */
const wholeSize = 256 * 1024
/** Larger ones are sent in chunks of about this size. */
const chunkSize = 64 * 1024

/** The text of an answer: whole where it is small, else its beginning, and the rest as it is taken. */
export interface Written {
  body: string
  rest?: AsyncGenerator<string> | undefined
}

/** Whose answer it is, and where the time is noted that it takes to write it. */
export interface Account {
  owner: string
  charge(milliseconds: number): void
}

/** Writes an answer, as far as it is sent as a whole, and lets others in between if that takes long. */
export async function begin(pieces: () => Pieces, account: Account): Promise<Written> {
  const begun = performance.now()
  const written = pieces()
  account.charge(performance.now() - begun)
  // Most answers are one small piece.
  if (Array.isArray(written) && written.length === 1 && written[0].length < chunkSize) return { body: written[0] }
  const chunks = chunksOf(written, account)
  let body = ''
  while (body.length < wholeSize) {
    const { value, done } = await chunks.next()
    if (done) return { body }
    body += value
  }
  return { body, rest: chunks }
}

/** All of it, for whoever has to keep it. */
export async function whole(pieces: () => Pieces, account: Account): Promise<string> {
  const { body, rest } = await begin(pieces, account)
  let text = body
  if (rest) for await (const chunk of rest) text += chunk
  return text
}

async function* chunksOf(pieces: Pieces, { owner, charge }: Account): AsyncGenerator<string> {
  let begun = performance.now()
  const stop = () => charge(performance.now() - begun)
  const goOn = () => {
    begun = performance.now()
  }
  const letOthers = async () => {
    stop()
    await new Promise<void>((resolve) => inAnotherTurn(owner, resolve))
    goOn()
  }
  let text = ''
  for await (const group of Symbol.asyncIterator in pieces ? pieces : [pieces]) {
    // What was waited for is not the thread's time.
    goOn()
    for (const piece of group) {
      text += piece
      while (text.length >= chunkSize) {
        const end = chunkEnd(text)
        stop()
        yield text.slice(0, end)
        goOn()
        text = text.slice(end)
      }
      if (performance.now() - begun >= sliceMs) await letOthers()
    }
    stop()
  }
  if (text !== '') yield text
}

/** Never between the two halves of a character: each chunk becomes bytes by itself. */
function chunkEnd(text: string): number {
  const last = text.charCodeAt(chunkSize - 1)
  return last >= 0xd800 && last <= 0xdbff ? chunkSize - 1 : chunkSize
}
