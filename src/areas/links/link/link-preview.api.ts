import { z } from 'zod'
import { appEndpoint } from '#kernel/http/route/endpoint.ts'
import { shape, text } from '#kernel/wire/fields.ts'
import { url } from '#kernel/wire/params.ts'
import { item } from '#kernel/wire/replies.ts'
import { previewPage, show } from './link-preview.ts'

const LinkPreview = shape('LinkPreview', {
  Url: text,
  Title: text,
  Description: text,
  ImageUrl: text,
  SiteName: text,
  Problem: text,
})

export const endpoints = [
  appEndpoint('GET /link-preview', {
    summary: 'Get the link preview of a web page',
    needs: 'read',
    params: z.object({ url }),
    reply: item('Preview', LinkPreview),
    before: previewPage,
    run: show,
  }),
]
