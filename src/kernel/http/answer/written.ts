import { inAnotherTurn } from '../../thread/turn.ts'

/** Past this time others come first. */
const sliceMs = 2

/** Puts the pieces of an answer for this account together, and lets others in between when there are many. Tells how long each slice of it took. */
export async function written(
  owner: string,
  pieces: Iterable<string>,
  took: (milliseconds: number) => void,
): Promise<string> {
  let text = ''
  let begun = performance.now()
  for (const piece of pieces) {
    text += piece
    if (performance.now() - begun < sliceMs) continue
    took(performance.now() - begun)
    await new Promise<void>((resolve) => inAnotherTurn(owner, resolve))
    begun = performance.now()
  }
  took(performance.now() - begun)
  return text
}
