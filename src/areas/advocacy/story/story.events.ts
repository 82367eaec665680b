import { emit, scopesOf } from '#areas/events/event.ts'
import { messageSample, sampleIds } from '#areas/events/event-type.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import { advocacyEvents } from '../declarations.ts'
import type { StoryDetails } from './story-queries.ts'
import { Story, StoryMessage } from './story-shape.ts'

const toWire = wireForm(Story)

/** Publishes the event with the messages, which may belong to other campaigns. */
export const announceStory = (context: Context, story: StoryDetails) =>
  emit(context, advocacyEvents.newAdvocacyStory, {
    scopes: scopesOf(
      story.boardId,
      story.campaignId,
      story.workflowId,
      ...story.messages.map(({ campaignId }) => campaignId),
    ),
    data: toWire(story),
  })

const message = sampleOf(StoryMessage, { ...messageSample, Type: 'link-attachment', Mentions: [], Media: [] })
const { LinkTitle, LinkUrl, ImageUrl, Description } = messageSample

export const storySamples = {
  newAdvocacyStory: sampleOf(Story, {
    AccountId: sampleIds.account,
    CreatedBy: sampleIds.user,
    ModifiedBy: sampleIds.user,
    ID: sampleIds.story,
    BoardId: sampleIds.board,
    CampaignId: sampleIds.campaign,
    PublishDate: '2026-03-03 08:00:00',
    ExpirationDate: '2026-09-03 08:00:00',
    Status: 'approved' as const,
    Title: 'The spring trail guide is out',
    Description: `${Description} Which one is yours?`,
    LinkTitle,
    LinkUrl,
    ImageUrl,
    LinkDescription: Description,
    AltTexts: null,
    Messages: [message],
    Media: [],
    Topics: ['Walking'],
    Tags: ['spring'],
  }),
}
