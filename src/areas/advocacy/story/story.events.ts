import { sampleIds } from '#areas/events/catalogue/sample-ids.ts'
import { emit } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import type { StoryDetails } from './story-details.ts'
import { Story, StoryMessage } from './story-shape.ts'

const toWire = wireForm(Story)

/** Tells webhooks that a board was given a story. */
export const announceStory = (context: Context, story: StoryDetails) => emit(context, 'newAdvocacyStory', toWire(story))

const guide = {
  LinkTitle: 'The spring trail guide',
  LinkUrl: 'https://www.example.com/trail-guide',
  ImageUrl: 'https://www.example.com/images/trail-guide.jpg',
}
const description = 'Forty walks that start and end at a station.'
const message = sampleOf(StoryMessage, {
  ...{ Id: sampleIds.message, Network: 'LinkedIn', Type: 'link-attachment', Mentions: [], Media: [] },
  ...{ ...guide, Description: description },
  Message: `Our spring trail guide is out: forty walks, all reachable by train. ${guide.LinkUrl}`,
})

export const storySamples = {
  newAdvocacyStory: sampleOf(Story, {
    ...{ AccountId: sampleIds.account, CreatedBy: sampleIds.user, ModifiedBy: sampleIds.user },
    ...{ ID: sampleIds.story, BoardId: sampleIds.board, CampaignId: sampleIds.campaign },
    ...{ PublishDate: '2026-03-03 08:00:00', ExpirationDate: '2026-09-03 08:00:00', Status: 'approved' as const },
    Title: 'The spring trail guide is out',
    Description: `${description} Which one is yours?`,
    ...{ ...guide, LinkDescription: description, AltTexts: null },
    ...{ Messages: [message], Media: [], Topics: ['Walking'], Tags: ['spring'] },
  }),
}
