/** Goes on in a later turn of the event loop. */
type GoOn = () => void

/** Those who have more to do, by the account they do it for. */
const waiting = new Map<string, GoOn[]>()

/**
 * Lets others in between. Whatever takes long is done in pieces of a few milliseconds, and every turn of the loop has one such piece
 * only, the accounts one after the other: however many have much to do, nobody with little to do waits for more than one of them.
 */
export function inAnotherTurn(owner: string, goOn: GoOn) {
  if (waiting.size === 0) setImmediate(turn)
  const queue = waiting.get(owner)
  if (queue) queue.push(goOn)
  else waiting.set(owner, [goOn])
}

function turn() {
  const [next] = waiting
  if (!next) return
  const [owner, queue] = next
  const goOn = queue.shift()
  // Whoever has more comes after all others.
  waiting.delete(owner)
  if (queue.length > 0) waiting.set(owner, queue)
  if (waiting.size > 0) setImmediate(turn)
  goOn?.()
}
