import { eventTypes } from '#areas/events/event-type.ts'
import { changeKinds } from '#kernel/changes/change-notification.ts'
import { idKinds } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const publishingIds = idKinds({
  message: '005',
  post: '004',
  postlog: '007',
  firstComment: '0fc',
  tag: '0AF',
  customEvent: '0CE',
})

export const publishingQuotas = quotas({
  queueSlots: { standard: 50_000, things: 'queue slots', remedy: 'Give profiles fewer times' },
  tags: { standard: 10_000, things: 'tags', remedy: 'Delete tags that nothing uses' },
  campaigns: { standard: 20_000, things: 'campaigns', remedy: 'Delete campaigns that are over' },
  messages: { standard: 100_000, things: 'messages', remedy: 'Delete messages that nobody needs' },
  posts: {
    standard: 50_000,
    things: 'posts that were not sent',
    remedy: 'Delete some of them, or wait until they are sent',
  },
  customEvents: { standard: 20_000, things: 'calendar events', remedy: 'Delete events that are over' },
})

export const publishingChanges = changeKinds('post', 'campaign', 'event')

export const publishingEvents = {
  ...eventTypes('Publishing', {
    postCreated: 'Somebody made a post.',
    postModified: 'Somebody changed a post before it went out.',
    postDeleted: 'Somebody removed a post before it went out.',
    postSent: 'A post was published.',
  }),
  ...eventTypes('Other', {
    newCampaign: 'A campaign was created.',
  }),
}
