import type { ShortLink } from './short-link.ts'

/** A link that somebody waits for. */
export interface Wanted {
  hash: string
  resolve(link: ShortLink | undefined): void
  reject(error: unknown): void
  answer: { promise: Promise<ShortLink | undefined> }
}

export function wantedOne(hash: string): Wanted {
  let resolve: Wanted['resolve'] = () => {}
  let reject: Wanted['reject'] = () => {}
  const promise = new Promise<ShortLink | undefined>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { hash, resolve, reject, answer: { promise } }
}
