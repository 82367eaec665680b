import { emit, scopesOf } from '#areas/events/event.ts'
import { messageSample, sampleIds } from '#areas/events/event-type.ts'
import type { get } from '#areas/publishing/message/message.ts'
import { Message } from '#areas/publishing/message/message-shape.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import type { shown } from './board/board.ts'
import { Board, Topic } from './board/board-shape.ts'
import { advocacyEvents } from './declarations.ts'
import type { StoryDetails } from './story/story-queries.ts'
import { Story, StoryMessage } from './story/story-shape.ts'

const storyForm = wireForm(Story)
const messageForm = wireForm(Message)
const boardForm = wireForm(Board)
const topicForm = wireForm(Topic)

/** Publishes the event with the messages, which may belong to other campaigns. */
export const announceStory = (context: Context, story: StoryDetails) =>
  emit(context, advocacyEvents.newAdvocacyStory, {
    scopes: scopesOf(
      story.boardId,
      story.campaignId,
      story.workflowId,
      ...story.messages.map(({ campaignId }) => campaignId),
    ),
    data: storyForm(story),
  })

interface Added {
  message: Awaited<ReturnType<typeof get>>
  board: ReturnType<typeof shown>
}

export const announceBoardMessage = (context: Context, { message, board }: Added) =>
  emit(context, advocacyEvents.newAdvocacyMessage, {
    scopes: [board.id, message.campaignId],
    data: { Message: messageForm(message), Board: boardForm(board) },
  })

export const announceTopic = (context: Context, topic: Parameters<typeof topicForm>[0]) =>
  emit(context, advocacyEvents.newAdvocacyTopic, { scopes: [topic.boardId], data: [topicForm(topic)] })

const storyMessage = sampleOf(StoryMessage, { ...messageSample, Type: 'link-attachment', Mentions: [], Media: [] })
const { LinkTitle, LinkUrl, ImageUrl, Description } = messageSample

/** Sample payloads. */
export const advocacySamples = {
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
    Messages: [storyMessage],
    Media: [],
    Topics: ['Walking'],
    Tags: ['spring'],
  }),
  newAdvocacyMessage: {
    Message: sampleOf(Message, {
      ...messageSample,
      Network: 'LinkedIn',
      Picture: 1,
      IsBoardMessage: 1,
      IsAppMessage: 1,
      Type: 'link-attachment',
      ApproveStatus: 'Approved',
      Media: [],
    }),
    Board: sampleOf(Board, {
      Id: sampleIds.board,
      Name: 'Team voices',
      Status: 'active',
      UsersCount: 24,
      Config: {
        ...Board.example.Config,
        Color: '#2F6F4E',
        DefaultExpiration: 'in_6_months',
        LogoPosition: 'center',
        NotificationsTimeUTC: '10',
        IconId: sampleIds.icon,
        LogoId: sampleIds.logo,
        Slug: 'team-voices',
        Terms: 'Share what you would say to a colleague.',
      },
    }),
  },
  // The contract shows an array.
  newAdvocacyTopic: [sampleOf(Topic, { Id: sampleIds.topic, Name: 'Walking', BoardId: sampleIds.board })],
}
