import { z } from 'zod'
import { profileKey } from '#areas/profiles/declarations.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, flag, integer, listOf, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { item, list } from '#kernel/wire/replies.ts'
import { networkNames } from '#networks/manifests.ts'
import * as health from './health.ts'

const fields = {
  Id: text,
  Name: text,
  DisplayName: text,
  Network: choice(networkNames),
  Kind: text,
  NetworkUsername: text,
  State: choice(health.healthStates),
  Reason: text,
  Since: zeroDatetime,
  Ends: zeroDatetime,
  LastSuccess: zeroDatetime,
  PostsAtRisk: integer,
  HasPicture: flag,
}
const ProfileHealth = shape('ProfileHealth', fields)
const PostAtRisk = shape('PostAtRisk', { Id: text, StartDateTime: datetime, CampaignId: text, Text: text })
const ProfileGate = shape('ProfileGate', { Reason: text, Features: listOf(text) })
const WholeHealth = shape('WholeProfileHealth', {
  Gates: listOf(ProfileGate),
  ...fields,
  Posts: listOf(PostAtRisk),
  HiddenPosts: integer,
  PlannedPosts: integer,
})

export const endpoints = [
  appEndpoint('GET /credential-health', {
    summary: 'See how all social profiles are, those first that need somebody',
    needs: 'read',
    params: z.object({}),
    reply: list(ProfileHealth),
    run: health.list,
  }),
  appEndpoint('GET /credential/{id}/health', {
    summary: 'See how a social profile is, why, until when, what it may not do, and which posts will not go out on it',
    needs: 'read',
    params: z.object({ id: params.pathId(profileKey) }),
    reply: item('Health', WholeHealth),
    run: health.get,
  }),
]
