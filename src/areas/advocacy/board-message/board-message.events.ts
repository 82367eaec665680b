import { emit } from '#areas/events/event.ts'
import { messageSample, sampleIds } from '#areas/events/event-type.ts'
import type { get } from '#areas/publishing/message/message.ts'
import { Message } from '#areas/publishing/message/message-shape.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import type { shown } from '../board/board.ts'
import { Board } from '../board/board-shape.ts'
import { advocacyEvents } from '../declarations.ts'

const [messageForm, boardForm] = [wireForm(Message), wireForm(Board)]

interface Added {
  message: Awaited<ReturnType<typeof get>>
  board: ReturnType<typeof shown>
}

export const announceBoardMessage = (context: Context, { message, board }: Added) =>
  emit(context, advocacyEvents.newAdvocacyMessage, {
    scopes: [board.id, message.campaignId],
    data: { Message: messageForm(message), Board: boardForm(board) },
  })

export const boardMessageSamples = {
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
}
