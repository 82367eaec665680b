import type { Fact } from '#areas/figures/add-facts.ts'
import { placed } from '#areas/figures/figure.ts'
import type { Context } from '#kernel/context.ts'
import type { ItemRow } from '../item/item-row.ts'
import type { ReplyRow } from '../reply/reply-row.ts'

type Account = Pick<Context, 'accountId'>

interface Received {
  network: string
  credentialId: string
  at: Date
}

/** Something of somebody else stands in the inbox; it counts when it happened. `entryRecount` tells the same. */
export const receivedFact = ({ accountId }: Account, { network, credentialId: profile, at }: Received): Fact => ({
  name: 'inboxReceived',
  at,
  of: placed(accountId, { network, profile, author: '' }),
})

/** The caller closed an item. */
export const closedFact = (
  { accountId, userId: author, now: at }: Pick<Context, 'accountId' | 'userId' | 'now'>,
  { network, credentialId: profile }: Pick<ItemRow, 'network' | 'credentialId'>,
): Fact => ({ name: 'inboxClosed', at, of: placed(accountId, { network, profile, author }) })

/** An answer is out, and how long somebody had waited for it where it is the first; `replyRecount` tells the same. */
export function repliedFacts(
  { accountId }: Account,
  { network, credentialId: profile, createdBy: author }: Pick<ReplyRow, 'network' | 'credentialId' | 'createdBy'>,
  at: Date,
  responseSeconds: number | undefined,
): Fact[] {
  const of = placed(accountId, { network, profile, author })
  const replied: Fact = { name: 'inboxReplied', at, of }
  if (responseSeconds === undefined) return [replied]
  return [replied, { name: 'responses', at, of }, { name: 'responseSeconds', at, of, amount: responseSeconds }]
}
