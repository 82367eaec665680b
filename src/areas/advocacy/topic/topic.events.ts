import { emit } from '#areas/events/event.ts'
import { sampleIds } from '#areas/events/event-type.ts'
import type { Context } from '#kernel/context.ts'
import { sampleOf, wireForm } from '#kernel/wire/fields.ts'
import { advocacyEvents } from '../declarations.ts'
import { Topic } from './topic-shape.ts'

const toWire = wireForm(Topic)

export const announceTopic = (context: Context, topic: Parameters<typeof toWire>[0]) =>
  emit(context, advocacyEvents.newAdvocacyTopic, { scopes: [topic.boardId], data: [toWire(topic)] })

export const topicSamples = {
  // The contract shows an array.
  newAdvocacyTopic: [sampleOf(Topic, { Id: sampleIds.topic, Name: 'Walking', BoardId: sampleIds.board })],
}
