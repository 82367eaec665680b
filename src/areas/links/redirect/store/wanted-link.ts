import type { ShortLink } from '../visit/short-link.ts'

/** A link that somebody waits for. */
export interface Wanted {
  readonly promise: Promise<ShortLink | undefined>
  resolve(link: ShortLink | undefined): void
  reject(error: unknown): void
}

export function wantedOne(): Wanted {
  let resolve: Wanted['resolve'] = () => {}
  let reject: Wanted['reject'] = () => {}
  const promise = new Promise<ShortLink | undefined>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  return { promise, resolve, reject }
}
