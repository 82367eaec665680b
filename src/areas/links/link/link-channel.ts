import type { Context } from '#kernel/context.ts'
import { linksChannel } from '../redirect/link-map.ts'

/** Makes every redirector forget a link; to be called in the transaction that changes it. */
export const linkChanged = (context: Context, hash: string) => context.announce(linksChannel, hash)

export const hostChanged = (context: Context, host: string) => context.announce(linksChannel, `host:${host}`)

/** For what concerns all links of an account. */
export const allLinksChanged = (context: Context) => context.announce(linksChannel, '')
