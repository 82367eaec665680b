import { z } from 'zod'
import { profileKey } from '#areas/profiles/declarations.ts'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { choice, datetime, flag, integer, listOf, shape, text, zeroDatetime } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { item, list } from '#kernel/wire/replies.ts'
import { networkNames } from '#networks/manifests.ts'
import * as health from './profile-health.ts'

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
    summary: 'Get the health of all social profiles, those that need attention first',
    needs: 'read',
    params: z.object({}),
    reply: list(ProfileHealth),
    run: health.list,
  }),
  appEndpoint('GET /credential/{id}/health', {
    summary: 'Get the health of a social profile with its gates and affected posts',
    needs: 'read',
    params: z.object({ id: params.pathId(profileKey) }),
    reply: item('Health', WholeHealth),
    run: health.get,
  }),
]
