import type { Actor } from '../connector/actor.ts'
import { type Checkpoint, type Draft, isVideo, type Progress, type Receipt, type Step } from '../connector/draft.ts'
import { refuseUnfitPost } from '../content/draft-check.ts'
import { ask, type GraphCall, needed } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { uploadPhotos } from './photos.ts'
import { receiptFields, receiptOf } from './receipts.ts'
import { awaitVideoPost, publishVideo } from './videos.ts'

export async function publish(
  graph: Graph,
  actor: Actor,
  draft: Draft,
  save: Checkpoint,
  progress?: Progress,
): Promise<Step> {
  if (progress?.stage === 'committed') return awaitVideoPost(graph, actor, progress)
  refuseUnfitPost('Facebook', draft)
  const video = draft.media.find(isVideo)
  if (video) return publishVideo(graph, actor, draft, video, save, progress)
  const photos = await uploadPhotos(graph, actor, draft.media, save, progress)
  await save({ stage: 'committing', photos })
  return { state: 'done', ...(await publishFeed(graph, actor, draft, photos)) }
}

/** The card of a link is made from what Facebook finds at its address; our title and picture are not asked for. */
async function publishFeed(graph: Graph, actor: Actor, { text, link }: Draft, photos: string[]): Promise<Receipt> {
  const attached = photos.map((media_fbid) => ({ media_fbid }))
  const call: GraphCall = {
    method: 'POST',
    path: `${actor.remoteId}/feed`,
    query: { fields: receiptFields },
    form: {
      message: text || undefined,
      link: link?.url,
      attached_media: attached.length ? JSON.stringify(attached) : undefined,
    },
    irreversible: true,
  }
  const answer = await ask(graph, actor, call)
  return receiptOf(graph, actor, needed(graph, call, answer, 'id'), answer)
}
