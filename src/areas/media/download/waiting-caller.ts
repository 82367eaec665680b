import { Refusal } from '#kernel/errors.ts'
import { openFairPlaces } from '#kernel/fair-places.ts'

/** Calls that are answered only when a stranger's server has answered; of one account, and in all. */
const places = openFairPlaces({ places: 64, share: 8 })

/** Does what a caller waits for at a server we know nothing of, unless too many of the account's callers wait already. */
export async function whileCallerWaits<Result>(accountId: string, work: () => Promise<Result>): Promise<Result> {
  if (!places.tryTake(accountId)) throw tooMany()
  try {
    return await work()
  } finally {
    places.release(accountId)
  }
}

const tooMany = () =>
  new Refusal('limited', 'Too many addresses are being fetched at the moment. Try again in a few seconds.', {
    retryAfter: 5,
  })
