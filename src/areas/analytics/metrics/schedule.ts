const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The numbers of a post are read for the first time so long after it went out, and never more often. */
const shortest = 10 * minute
/** Until this age a post is read every day at least, then every week, then no more. */
const young = 30 * day
const old = 365 * day

export const firstReading = (published: Date) => after(published, shortest)

/** When the numbers of a post are read next: after half as long as it has been out, within bounds. Nothing: not any more. */
export function nextReading(published: Date, now: Date): Date | null {
  const age = now.getTime() - published.getTime()
  if (age >= old) return null
  return after(now, age < young ? Math.min(Math.max(age / 2, shortest), day) : 7 * day)
}

/** A post that the network tells nothing of for so long is taken for deleted there; new ones are sometimes told of late. */
export const missingFor = 3 * day

/** Followers are read once a day, each profile at an hour of its own in the first half of it: who fails has time to try again. */
export function nextFollowers(credentialId: string, now: Date): Date {
  const tomorrow = now.getTime() - (now.getTime() % day) + day
  return new Date(tomorrow + spread(credentialId) * minute)
}

/** One of the first 720 minutes, always the same for the same profile. */
const spread = (text: string) => [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 720, 0)

/** From one turn of a profile to the next: what came due meanwhile is asked together, and publishing has its part of what the network allows. */
export const pause = 5 * minute
/** Longer than a turn may take: whoever took one and is gone does not keep it. */
export const turnLength = 10 * minute

/** When a profile has its next turn after so many that failed. */
export const afterFailures = (failures: number, now: Date) =>
  after(now, Math.min(pause * 2 ** Math.min(failures, 20), day))

/** When it has it after it was told to wait; whoever is told to wait for weeks asks every day. */
export const afterThrottling = (until: Date, now: Date) =>
  new Date(Math.min(Math.max(until.getTime(), now.getTime() + pause), now.getTime() + day))

const after = (moment: Date, wait: number) => new Date(moment.getTime() + wait)
