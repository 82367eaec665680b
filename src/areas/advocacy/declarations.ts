import { eventTypes } from '#areas/events/event-type.ts'
import { changeKinds } from '#kernel/changes/change-notification.ts'
import { idKinds } from '#kernel/ids.ts'
import { quotas } from '#kernel/quotas/quotas.ts'

export const advocacyIds = idKinds({
  boardSignUp: '0su',
  topic: 'tpc',
  customField: '0cf',
  customOption: '0cp',
  story: '0AS',
  advocateShare: '0sh',
})

export const advocacyQuotas = quotas({
  boards: { standard: 1_000, things: 'boards', remedy: 'Archived boards count as well; use one of them' },
  topics: { standard: 20_000, things: 'topics', remedy: 'Delete topics that no story has' },
  stories: { standard: 200_000, things: 'stories', remedy: 'Delete stories that are over' },
  advocates: { standard: 200_000, things: 'places on boards', remedy: 'Remove advocates who have left' },
  shares: { standard: 200_000, things: 'shares that were not sent', remedy: 'Wait until some of them are sent' },
})

export const advocacyChanges = changeKinds('board', 'topic', 'story', 'advocate')

export const advocacyEvents = eventTypes('Advocacy', {
  newAdvocacyMessage: 'A board was given a message that advocates can share.',
  newAdvocacyStory: 'A board was given a story that advocates can share.',
  newAdvocacyTopic: 'A board was given a topic.',
})
