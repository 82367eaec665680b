import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { parts } from '#kernel/wire/replies.ts'
import { overview } from './overview.ts'
import { overviewParts } from './overview-shape.ts'

export const endpoints = [
  appEndpoint('GET /overview', {
    summary: 'Get an overview: pending tasks, problems, next posts and recent activity',
    needs: 'read',
    params: z.object({}),
    reply: parts(overviewParts),
    run: overview,
  }),
]
