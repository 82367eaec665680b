import type { Context } from '#kernel/context.ts'

/** The channel on which changes of links are announced: a hash, `host:` and a domain, or nothing for everything. */
export const linksChannel = 'links'

/** Makes every redirector forget a link; to be called in the transaction that changes it. */
export const linkChanged = (context: Context, hash: string) => context.announce(linksChannel, hash)

export const hostChanged = (context: Context, host: string) => context.announce(linksChannel, `host:${host}`)

/** For what concerns all links of an account. */
export const allLinksChanged = (context: Context) => context.announce(linksChannel, '')
