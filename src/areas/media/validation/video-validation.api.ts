import { z } from 'zod'
import { endpoint } from '#kernel/http/route/endpoint.ts'
import { boolean, listOf, shape, text } from '#kernel/wire/fields.ts'
import * as params from '#kernel/wire/params.ts'
import { item } from '#kernel/wire/replies.ts'
import { mediaIds } from '../declarations.ts'
import { validate } from './video-validation.ts'

/** These two keys are lowercase in the API. */
const Validation = shape('VideoValidation', { isValid: boolean, errors: listOf(text) })

const Validations = shape('VideoValidations', {
  Facebook: Validation,
  LinkedIn: Validation,
  Twitter: Validation,
  Instagram: Validation,
  Youtube: Validation,
})

export const endpoints = [
  endpoint('GET /video-validate/{id}', {
    operationId: 'validateVideo',
    summary: 'Check on which networks a video can be published',
    needs: 'read',
    params: z.object({ id: params.pathId(mediaIds.media) }),
    reply: item('Validations', Validations),
    run: validate,
  }),
]
