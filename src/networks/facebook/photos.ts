import type { Actor } from '../connector/actor.ts'
import type { Checkpoint, MediaRef, Progress } from '../connector/draft.ts'
import { listAt } from '../graph/answer.ts'
import { ask, type GraphCall, needed } from '../graph/calls.ts'
import type { Graph } from '../graph/graph.ts'
import { readBytes } from '../wire/media-bytes.ts'
import type { Part } from '../wire/multipart.ts'

/** Brings pictures to Facebook without showing them; those that are there already stay. */
export async function uploadPhotos(
  graph: Graph,
  actor: Actor,
  media: readonly MediaRef[],
  save: Checkpoint,
  progress?: Progress,
): Promise<string[]> {
  const photos = listAt(progress, 'photos').map(String)
  for (const picture of media.slice(photos.length)) {
    photos.push(await uploadPhoto(graph, actor, picture))
    await save({ stage: 'uploading', photos: [...photos] })
  }
  return photos
}

/** Larger pictures are fetched by Facebook: one of its error texts names this as the end for bytes that are sent. */
const largestSentPicture = 4_000_000

async function uploadPhoto(graph: Graph, actor: Actor, picture: MediaRef): Promise<string> {
  const { mime, name = 'picture', bytes, publicUrl, alt } = picture
  const multipart: { [name: string]: Part } = { published: 'false' }
  if (alt !== undefined) multipart.alt_text_custom = alt
  if (bytes <= largestSentPicture) multipart.source = { bytes: await readBytes(picture), mime, name }
  else multipart.url = publicUrl
  const call: GraphCall = { method: 'POST', path: `${actor.remoteId}/photos`, multipart }
  return needed(graph, call, await ask(graph, actor, call), 'id')
}
