/** One visit to a link, as it is written down before it is answered. */
export interface Click {
  readonly account: string
  readonly link: string
  readonly id: string
  /** In milliseconds since 1970. */
  readonly at: number
  readonly visitor: string
  readonly address: string
  /** From `aboutOf`. */
  readonly about: string
}

/** What is the same for very many clicks. */
interface About {
  readonly class: string
  readonly reason: string
  readonly userAgent: string
}

/** A click as it is read again. */
export type ReadClick = Omit<Click, 'about'> & About

/** In the words of the bundle, so that they are found once for all clicks that have them. */
export const aboutOf = ({ class: kind, reason, userAgent }: About) =>
  JSON.stringify({ class: kind, reason, userAgent }).slice(1)

/** What makes up the other values needs no escaping: letters, digits, and the signs of addresses. */
export function bundled(clicks: readonly Click[]): string {
  let text = ''
  for (const { link, id, at, visitor, address, about } of clicks)
    text += `,{"link":"${link}","id":"${id}","at":${at},"visitor":"${visitor}","address":"${address}",${about}`
  return `[${text.slice(1)}]`
}

/** Fails where anything in the bundle is not what a click is made of. */
export function unbundled(account: string, clicks: string): ReadClick[] {
  const read = JSON.parse(clicks) as Omit<ReadClick, 'account'>[]
  for (const click of read)
    if (!texts.every((name) => typeof click[name] === 'string') || Number.isNaN(new Date(click.at).getTime()))
      throw new Error('The bundle holds something that is no click.')
  return read.map((click) => ({ ...click, account }))
}

const texts = ['link', 'id', 'visitor', 'address', 'class', 'reason', 'userAgent'] as const

/** Those of each account, in their order. */
export function byAccount<Of extends { readonly account: string }>(clicks: readonly Of[]): Map<string, readonly Of[]> {
  const [first] = clicks
  if (first && clicks.every(({ account }) => account === first.account)) return new Map([[first.account, clicks]])
  const accounts = new Map<string, Of[]>()
  for (const click of clicks) {
    const own = accounts.get(click.account)
    if (own) own.push(click)
    else accounts.set(click.account, [click])
  }
  return accounts
}
