import { changeKinds } from '#kernel/hints/hint.ts'
import { idKinds } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const inboxIds = idKinds({
  inboxItem: 'eit',
  inboxEntry: 'eat',
  inboxReply: '0ir',
  inboxView: '0iv',
  conversationTag: 'etg',
  cannedResponse: 'cnr',
})

export const inboxQuotas = quotas({
  inboxReplies: { standard: 20_000, things: 'replies that were not sent', remedy: 'Wait until some of them are sent' },
  conversationTags: { standard: 10_000, things: 'tags of conversations', remedy: 'Delete tags that nobody needs' },
  cannedResponses: { standard: 10_000, things: 'canned responses', remedy: 'Delete responses that nobody uses' },
  inboxViews: { standard: 10_000, things: 'views of the inbox', remedy: 'Delete views that nobody uses' },
})

export const inboxChanges = changeKinds('conversation')
