import type { Readable } from 'node:stream'
import { inAnotherTurn } from '../../thread/turn.ts'

/** Past this time others come first. */
const pieceMs = 2

/**
 * Lets others in between while rows are read: a large result is all there at once, and would otherwise be read in one go. Tells how
 * long every piece took. `owner` is whose rows they are at the moment.
 */
export function readInPieces(stream: Readable, owner: () => string, took: (milliseconds: number) => void) {
  let begun = 0
  let inARow = 0
  stream.prependListener('data', () => {
    begun = performance.now()
  })
  stream.on('data', () => {
    const spent = performance.now() - begun
    took(spent)
    inARow += spent
    if (inARow < pieceMs) return
    inARow = 0
    stream.pause()
    inAnotherTurn(owner(), () => stream.resume())
  })
}
