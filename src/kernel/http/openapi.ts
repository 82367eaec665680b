import { abilities } from '../permissions.ts'
import type { JsonSchema, Shape } from '../wire/fields.ts'
import { takesBrackets } from '../wire/parameter.ts'
import { type ParameterField, parameterFields } from './request/parameter-fields.ts'
import type { Download } from './route/download-route.ts'
import { type Endpoint, isOpen } from './route/endpoint.ts'
import type { Intake } from './route/intake-route.ts'
import type { Stream } from './route/stream-route.ts'

/** Operations whose request or response is not JSON. */
export interface Beside {
  readonly intakes: readonly Intake[]
  readonly downloads: readonly Download[]
  readonly streams: readonly Stream[]
}

/** A group of operations. */
export interface Tag {
  readonly name: string
  readonly description: string
  /** First path segments of its operations. */
  readonly of: readonly string[]
}

/** Recorded responses by call (`GET /v2/me`), and errors by status. */
export interface Examples {
  readonly answers: { readonly [call: string]: unknown }
  readonly errors: { readonly [status: string]: unknown }
}

/** External inputs of the descriptions. */
interface Sources {
  readonly version: string
  readonly tags: readonly Tag[]
  readonly examples: Examples
}

/** The OpenAPI 3.1 description of the contract, generated from the endpoints. */
export const describeInterface = (endpoints: readonly Endpoint[], sources: Sources) =>
  describe(endpoints, { intakes: [], downloads: [], streams: [] }, sources, {
    title: 'Chorus',
    description: conventions.join('\n\n'),
    server: '/v2',
    securitySchemes: { basic },
  })

/** The OpenAPI description of the console API. */
export const describeConsole = (endpoints: readonly Endpoint[], beside: Beside, sources: Sources) =>
  describe(endpoints, beside, sources, {
    title: 'Chorus: the console’s interface',
    description: [...conventions, ...consoleConventions].join('\n\n'),
    server: '/app/api',
    securitySchemes: { session, basic },
  })

interface About {
  title: string
  description: string
  server: string
  securitySchemes: { readonly [name: string]: object }
}

/** Collected while operations are described: referenced schemas and used tags. */
interface Found {
  readonly sources: Sources
  readonly server: string
  readonly shapes: Map<string, Shape<never>>
  readonly requests: Map<string, object>
  readonly tags: Set<Tag>
}

function describe(endpoints: readonly Endpoint[], beside: Beside, sources: Sources, about: About) {
  const { title, description, server, securitySchemes } = about
  const found: Found = { sources, server, shapes: new Map(), requests: new Map(), tags: new Set() }
  const paths: Record<string, Record<string, unknown>> = {}
  const add = (path: string, method: string, described: object) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: described }
  }
  for (const endpoint of endpoints) add(endpoint.path, endpoint.method, operation(endpoint, found))
  for (const intake of beside.intakes) add(intake.path, 'PUT', intakeOperation(intake, found))
  for (const download of beside.downloads) add(download.path, 'GET', downloadOperation(download, found))
  for (const stream of beside.streams) add(stream.path, 'GET', streamOperation(stream, found))
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: sources.version,
      description,
      contact: { name: 'The operator of this installation' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: server }],
    security: Object.keys(securitySchemes).map((scheme) => ({ [scheme]: [] })),
    tags: sources.tags
      .filter((tag) => found.tags.has(tag))
      .map((tag) => ({ name: tag.name, description: tag.description })),
    paths,
    components: {
      securitySchemes,
      responses: errorResponses(sources.examples),
      schemas: { ...describeShapes(found), ...Object.fromEntries(found.requests), Error: errorSchema },
    },
  }
}

const basic = { type: 'http', scheme: 'basic', description: 'Account id and API key.' }
const session = {
  type: 'apiKey',
  in: 'cookie',
  name: '__Host-chorus',
  description:
    'A session, created with `POST /session`. Over plain HTTP on the local machine the cookie is named `chorus`.',
}

const conventions = [
  'Parameters may be sent in the query, as a form or as JSON with every method; the body takes precedence.',
  'Lists: `name[]=`, `name[0]=`, repeated `name=`, comma-separated, or JSON text. Objects: `name[key]=` or JSON text. Booleans: `1 0 true false`. A form may spell required lists and objects in any of these ways, so its schema does not require them.',
  'Times are UTC. Every response has `Result`; errors have `Errors.API.Error`.',
  'A POST with an `Idempotency-Key` header has its effect once within 24 hours.',
]
const consoleConventions = [
  'Every operation of the contract is also available under `/app/api/v2`, for sessions.',
  'A campaign, message or post under `/app/api/v2` has an `ETag`; an update with it as `If-Match` is refused with 412 if another user changed the resource in the meantime.',
  'With a session, every request except GET requires the header `x-chorus-console: 1` and must come from the service’s own origin.',
]

function operation(endpoint: Endpoint, found: Found) {
  const { method, path, needs, reply } = endpoint
  const name = operationIdOf(endpoint)
  const fields = parameterFields(endpoint)
  const inPath = fields.filter(({ where }) => where === 'path')
  const sent = fields.filter(({ where }) => where === 'request')
  // Published clients send the parameters of a DELETE in the query or in the body. Either is sufficient, so neither is required.
  const isEither = method === 'DELETE' || endpoint.inQuery === true
  return {
    ...named({ ...endpoint, name }, found),
    description: isOpen(endpoint) ? 'No authentication required.' : rolesOf(needs),
    ...(isOpen(endpoint) && { security: [] }),
    parameters: [
      ...inPath.map((field) => parameter(field, found)),
      ...(method === 'GET' ? sent.map((field) => parameter(field, found)) : []),
      ...(isEither ? sent.map((field) => parameter(eitherWay(field), found)) : []),
    ],
    ...(method !== 'GET' &&
      sent.length > 0 && { requestBody: requestBody(name, isEither ? sent.map(eitherWay) : sent, found) }),
    responses: answers(reply, `${method} ${found.server}${path}`, found),
  }
}

const eitherWay = (field: ParameterField): ParameterField => ({
  ...field,
  required: false,
  ...(field.required && { schema: { ...field.schema, description: requiredEitherWay(field.schema) } }),
})

const requiredEitherWay = ({ description }: JsonSchema) =>
  [description, 'Required, in the query or in the body.'].filter(Boolean).join(' ')

function intakeOperation(intake: Intake, found: Found) {
  const { path, needs, reply } = intake
  return {
    ...named({ ...intake, name: operationIdOf({ ...intake, method: 'PUT' }) }, found),
    description: rolesOf(needs),
    parameters: parameterFields(intake).map((field) => parameter({ ...field, required: true }, found)),
    requestBody: { required: true, content: { 'application/octet-stream': { schema: bytes } } },
    responses: answers(reply, `PUT ${found.server}${path}`, found),
  }
}

function downloadOperation(download: Download, found: Found) {
  const { path, needs, type } = download
  const example = found.sources.examples.answers[`GET ${found.server}${path}`]
  return {
    ...named({ ...download, name: operationIdOf({ ...download, method: 'GET' }) }, found),
    description: rolesOf(needs),
    parameters: parameterFields(download).map((field) => parameter(field, found)),
    responses: {
      '200': {
        description: 'The file.',
        content: { [type]: example === undefined ? { schema: bytes } : { schema: { type: 'string' }, example } },
      },
      ...errors,
    },
  }
}

function streamOperation(stream: Stream, found: Found) {
  const { path, needs, events } = stream
  const example = found.sources.examples.answers[`GET ${found.server}${path}`]
  const eventList = Object.entries(events).map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
  const schema = { type: 'string' }
  return {
    ...named({ ...stream, name: operationIdOf({ ...stream, method: 'GET' }) }, found),
    description: [rolesOf(needs), 'An endless stream of server-sent events:', eventList.join('\n')].join('\n\n'),
    parameters: [
      { name: 'Last-Event-ID', in: 'header', required: false, schema, description: lastEvent },
      {
        name: 'lastEventId',
        in: 'query',
        required: false,
        schema,
        description: 'The same as a query parameter, for a new page.',
      },
    ],
    responses: {
      '200': {
        description: 'The event stream.',
        content: { 'text/event-stream': { schema, ...(example !== undefined && { example }) } },
      },
      ...errors,
    },
  }
}

const bytes = { type: 'string', format: 'binary' }

const lastEvent = 'Id of the last received event, after which the stream resumes. Browsers send it automatically.'

const rolesOf = (needs: Endpoint['needs']) => `Roles: ${abilities[needs].join(', ')}.`

function named({ name, path, summary }: { name: string; path: string; summary: string }, { sources, tags }: Found) {
  const group = path.split('/')[1] ?? ''
  const tag = sources.tags.find(({ of }) => of.includes(group))
  if (!tag) throw new Error(`${path} belongs to no tag: add "${group}" to the tags in the manifest of its area.`)
  tags.add(tag)
  return { operationId: name, tags: [tag.name], summary }
}

function parameter({ name, where, required, schema }: ParameterField, found: Found) {
  const { description, ...rest } = schema
  return {
    name,
    in: where === 'path' ? 'path' : 'query',
    required: where === 'path' || required,
    ...(typeof description === 'string' && { description }),
    schema: collect(rest, found),
  }
}

/** One schema for all encodings; lists and objects are required only in JSON, which has no bracket syntax. */
function requestBody(name: string, fields: ParameterField[], found: Found) {
  const required = fields.filter((field) => field.required)
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}Request`
  const inForms = required.filter(({ schema }) => !takesBrackets(schema)).map((field) => field.name)
  const inJson = required.filter(({ schema }) => takesBrackets(schema)).map((field) => field.name)
  const properties = fields.map((field) => [field.name, collect(field.schema, found)] as const)
  found.requests.set(title, {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(inForms.length > 0 && { required: inForms }),
  })
  const schema = { $ref: `#/components/schemas/${title}` }
  return {
    required: required.length > 0,
    content: {
      'application/x-www-form-urlencoded': { schema },
      'multipart/form-data': { schema },
      'application/json': {
        schema: inJson.length > 0 ? { allOf: [schema, { type: 'object', required: inJson }] } : schema,
      },
    },
  }
}

function answers(reply: Endpoint['reply'], call: string, found: Found) {
  const example = found.sources.examples.answers[call]
  const content = { schema: collect(reply.schema, found), ...(example !== undefined && { example }) }
  return { '200': { description: 'Success.', content: { 'application/json': content } }, ...errors }
}

/** Copies a schema and records the shapes it refers to. */
function collect(schema: unknown, found: Pick<Found, 'shapes'>): unknown {
  if (Array.isArray(schema)) return schema.map((element) => collect(element, found))
  if (typeof schema !== 'object' || schema === null) return schema
  const { 'x-shape': shape, ...rest } = schema as JsonSchema & { 'x-shape'?: Shape<never> }
  if (shape?.title) found.shapes.set(shape.title, shape)
  return Object.fromEntries(Object.entries(rest).map(([keyword, value]) => [keyword, collect(value, found)]))
}

/** Shapes may refer to further shapes: iterating over the growing map reaches them all. */
function describeShapes(found: Found) {
  const described: Record<string, unknown> = {}
  for (const [title, shape] of found.shapes) described[title] = collect(shape.schema, found)
  return described
}

const errorSchema = {
  type: 'object',
  properties: {
    Result: { const: false },
    Errors: {
      anyOf: [
        {
          type: 'object',
          properties: { API: { type: 'object', properties: { Error: { type: 'string' } }, required: ['Error'] } },
          required: ['API'],
        },
        { type: 'array', items: { type: 'string' }, description: 'Errors of integration actions.' },
      ],
    },
  },
  required: ['Result', 'Errors'],
}

const errorDescriptions = {
  '400': 'A parameter is missing or not valid.',
  '401': 'The credentials are missing or invalid.',
  '403': 'The role does not permit the operation, or the browser sent the request from another site.',
  '404': 'Absent, of another account, or not visible to the teams of the user.',
  '409': 'The request conflicts with the current state.',
  '413': 'The body is larger than 1 MiB.',
  '429': 'A rate limit or quota is reached; Retry-After has the seconds to wait.',
  '503': 'Temporarily unavailable; retry after Retry-After seconds.',
}

const errorResponses = (examples: Examples) =>
  Object.fromEntries(
    Object.entries(errorDescriptions).map(([status, description]) => {
      const example = examples.errors[status]
      const schema = { $ref: '#/components/schemas/Error' }
      return [
        status,
        { description, content: { 'application/json': { schema, ...(example !== undefined && { example }) } } },
      ]
    }),
  )

const errors = Object.fromEntries(
  Object.keys(errorDescriptions).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
)

interface Described {
  readonly method: string
  readonly path: string
  readonly operationId?: string | undefined
  /** Absent if the response is not JSON. */
  readonly reply?: { readonly schema: JsonSchema }
}

/**
 * The operation id: `listStories`, `getStory`, `createStory`, `updateStory`, `deleteStory`. The verb follows from the method and the
 * response, the noun from the path. Below a single object (`/post/{id}/change-campaign`) a POST is an action and its path names the verb. A
 * declaration sets `operationId` where this rule gives the wrong name.
 */
function operationIdOf({ method, path, operationId, reply }: Described): string {
  if (operationId) return operationId
  const segments = path.split('/').slice(1)
  const names = segments.filter((segment) => !isParameter(segment)).map((segment) => segment.split(/[-.]/))
  const last = names.at(-1) ?? []
  const parents = names.slice(0, -1).map(singular)
  const named = (verb: string, words: readonly string[]) => camelCase([verb, ...parents.flat(), ...words])
  const isOne = isParameter(segments.at(-1) ?? '')
  const isBelow = !isOne && segments.some(isParameter)
  switch (method) {
    case 'GET':
      if (reply && isList(reply.schema, isOne || isBelow)) return named('list', plural(last))
      return named('get', isOne ? singular(last) : last)
    case 'DELETE':
      return named('delete', singular(last))
    case 'PUT':
      return isBelow ? named('set', last) : named('update', singular(last))
    default:
      if (isBelow) return named(last[0] ?? '', last.slice(1))
      return named(isOne ? 'update' : 'create', singular(last))
  }
}

const isParameter = (segment: string) => segment.startsWith('{')

/**
 * `{Result, Items, Total}`, also as one of several responses; for operations that don't address one object, any array under the first key.
 */
function isList({ properties, anyOf }: JsonSchema, isOfOne: boolean): boolean {
  if (anyOf) return (anyOf as readonly JsonSchema[]).some((schema) => isList(schema, isOfOne))
  const parts = (properties ?? {}) as { readonly [key: string]: JsonSchema }
  const [, first] = Object.values(parts)
  return parts.Items?.type === 'array' || parts.Total !== undefined || (!isOfOne && first?.type === 'array')
}

const camelCase = ([first = '', ...words]: readonly string[]) =>
  first + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')

/** Plural and singular forms, by the last word of a noun. */
const plural = (words: readonly string[]) => withLast(words, pluralOf)
const singular = (words: readonly string[]) => withLast(words, singularOf)

const withLast = (words: readonly string[], form: (word: string) => string) => [
  ...words.slice(0, -1),
  ...words.slice(-1).map(form),
]

/** Same form in singular and plural. */
const invariable = new Set(['media', 'settings', 'analytics', 'health'])

function pluralOf(word: string): string {
  if (invariable.has(word) || word.endsWith('s')) return word
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`
}

function singularOf(word: string): string {
  if (invariable.has(word) || !word.endsWith('s')) return word
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.slice(0, -1)
}
