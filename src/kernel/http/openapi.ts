import { abilities } from '../permissions.ts'
import type { JsonSchema, Shape } from '../wire/fields.ts'
import { type ParameterField, parameterFields } from './reading/parameter-fields.ts'
import type { Download } from './route/download-route.ts'
import { type Endpoint, isOpen } from './route/endpoint.ts'
import type { Intake } from './route/intake-route.ts'
import type { Stream } from './route/stream-route.ts'

/** What is no JSON on one side. */
export interface Beside {
  readonly intakes: readonly Intake[]
  readonly downloads: readonly Download[]
  readonly streams: readonly Stream[]
}

/** The OpenAPI 3.1 description of the contract, written from the endpoints themselves. */
export const describeInterface = (endpoints: readonly Endpoint[], version: string) =>
  describe(endpoints, { intakes: [], downloads: [], streams: [] }, version, {
    title: 'Chorus',
    description: conventions.join('\n\n'),
    server: '/v2',
    securitySchemes: { basic },
  })

/** The same of what the console calls beyond the contract. */
export const describeConsole = (endpoints: readonly Endpoint[], beside: Beside, version: string) =>
  describe(endpoints, beside, version, {
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

function describe(endpoints: readonly Endpoint[], beside: Beside, version: string, about: About) {
  const { intakes, downloads, streams } = beside
  const shapes = new Map<string, Shape<never>>()
  const paths: Record<string, Record<string, unknown>> = {}
  const add = (path: string, method: string, described: object) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: described }
  }
  for (const endpoint of endpoints) add(endpoint.path, endpoint.method, operation(endpoint, shapes))
  for (const intake of intakes) add(intake.path, 'PUT', intakeOperation(intake, shapes))
  for (const download of downloads) add(download.path, 'GET', downloadOperation(download))
  for (const stream of streams) add(stream.path, 'GET', streamOperation(stream))
  const { title, description, server, securitySchemes } = about
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: server }],
    security: Object.keys(securitySchemes).map((scheme) => ({ [scheme]: [] })),
    paths,
    components: {
      securitySchemes,
      responses: refusals,
      schemas: { ...describeShapes(shapes), Error: errorSchema },
    },
  }
}

const basic = { type: 'http', scheme: 'basic', description: 'Account id and API key.' }
const session = {
  type: 'apiKey',
  in: 'cookie',
  name: '__Host-chorus',
  description: 'A session, begun with `POST /session`; over plain HTTP on this machine the cookie is called `chorus`.',
}

const conventions = [
  'Parameters may be sent in the query, as a form or as JSON on every verb; the body wins.',
  'Arrays: `name[]=`, `name[0]=`, repeated `name=`, JSON text or comma-separated. Booleans: `1 0 true false`.',
  'Times are UTC. Every answer carries `Result`; errors carry `Errors.API.Error`.',
  'A POST with an `Idempotency-Key` header has its effect once within 24 hours.',
]
const consoleConventions = [
  'Every operation of the contract stands under `/app/api/v2` as well, for sessions.',
  'What was read of a campaign, a message or a post under `/app/api/v2` carries an `ETag`; a change with it as `If-Match` is refused with 412 when somebody else changed it meanwhile.',
  'With a session, everything but a GET needs the header `x-chorus-console: 1` and must come from the service’s own pages.',
]

function operation(endpoint: Endpoint, shapes: Map<string, Shape<never>>) {
  const { method, path, summary, needs, reply } = endpoint
  const fields = parameterFields(endpoint)
  const inPath = fields.filter(({ where }) => where === 'path')
  const sent = fields.filter(({ where }) => where === 'request')
  return {
    operationId: operationId(method, path),
    tags: [path.split('/')[1]],
    summary,
    description: isOpen(endpoint) ? 'For everybody, without credentials.' : `Roles: ${abilities[needs].join(', ')}.`,
    ...(isOpen(endpoint) && { security: [] }),
    parameters: [
      ...inPath.map(({ name, schema }) => ({ name, in: 'path', required: true, schema })),
      ...(method === 'GET' ? sent.map(({ name, required, schema }) => ({ name, in: 'query', required, schema })) : []),
    ],
    ...(method !== 'GET' && sent.length > 0 && { requestBody: requestBody(sent) }),
    responses: answers(reply, shapes),
  }
}

function intakeOperation(intake: Intake, shapes: Map<string, Shape<never>>) {
  const { path, summary, needs, reply } = intake
  return {
    operationId: operationId('PUT', path),
    tags: [path.split('/')[1]],
    summary,
    description: `Roles: ${abilities[needs].join(', ')}.`,
    parameters: parameterFields(intake).map(({ name, where, schema }) => ({
      name,
      in: where === 'path' ? 'path' : 'query',
      required: true,
      schema,
    })),
    requestBody: { required: true, content: { 'application/octet-stream': {} } },
    responses: answers(reply, shapes),
  }
}

function downloadOperation(download: Download) {
  const { path, summary, needs, type } = download
  return {
    operationId: operationId('GET', path),
    tags: [path.split('/')[1]],
    summary,
    description: `Roles: ${abilities[needs].join(', ')}.`,
    parameters: parameterFields(download).map(({ name, where, required, schema }) => ({
      name,
      in: where === 'path' ? 'path' : 'query',
      required,
      schema,
    })),
    responses: { '200': { description: 'The file.', content: { [type]: {} } }, ...refused },
  }
}

function streamOperation({ path, summary, needs, events }: Stream) {
  const told = Object.entries(events).map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
  const schema = { type: 'string' }
  return {
    operationId: operationId('GET', path),
    tags: [path.split('/')[1]],
    summary,
    description: [`Roles: ${abilities[needs].join(', ')}.`, 'Server-sent events, without end:', told.join('\n')].join(
      '\n\n',
    ),
    parameters: [
      { name: 'Last-Event-ID', in: 'header', required: false, schema, description: lastEvent },
      { name: 'lastEventId', in: 'query', required: false, schema, description: 'The same, for a page that is new.' },
    ],
    responses: {
      '200': { description: 'It goes on.', content: { 'text/event-stream': { schema } } },
      ...refused,
    },
  }
}

const lastEvent = 'The last event that was heard: everything after it is told. Browsers send it by themselves.'

const answers = (reply: Endpoint['reply'], shapes: Map<string, Shape<never>>) => ({
  '200': { description: 'Done.', content: { 'application/json': { schema: collect(reply.schema, shapes) } } },
  ...refused,
})

const operationId = (method: string, path: string) =>
  method.toLowerCase() +
  path.replace(/\{\w+\}/g, 'one').replace(/[/.-](\w)/g, (_, letter: string) => letter.toUpperCase())

function requestBody(fields: ParameterField[]) {
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
    ...(required.length > 0 && { required }),
  }
  return {
    required: required.length > 0,
    content: { 'application/x-www-form-urlencoded': { schema }, 'application/json': { schema } },
  }
}

/** Copies a schema, noting the shapes it refers to. */
function collect(schema: unknown, shapes: Map<string, Shape<never>>): unknown {
  if (Array.isArray(schema)) return schema.map((element) => collect(element, shapes))
  if (typeof schema !== 'object' || schema === null) return schema
  const { 'x-shape': shape, ...rest } = schema as JsonSchema & { 'x-shape'?: Shape<never> }
  if (shape?.title) shapes.set(shape.title, shape)
  return Object.fromEntries(Object.entries(rest).map(([keyword, value]) => [keyword, collect(value, shapes)]))
}

/** Shapes may refer to further shapes: a map that grows while it is walked reaches them all. */
function describeShapes(shapes: Map<string, Shape<never>>) {
  const described: Record<string, unknown> = {}
  for (const [title, shape] of shapes) described[title] = collect(shape.schema, shapes)
  return described
}

const errorSchema = {
  type: 'object',
  properties: {
    Result: { const: false },
    Errors: {
      type: 'object',
      properties: { API: { type: 'object', properties: { Error: { type: 'string' } }, required: ['Error'] } },
      required: ['API'],
    },
  },
  required: ['Result', 'Errors'],
}

const refusal = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

const refusals = {
  '400': refusal('A parameter is missing or not valid.'),
  '401': refusal('No valid credentials.'),
  '403': refusal('The role may not do this, or a browser says that another site asks for it.'),
  '404': refusal('Absent, of another account, or not visible to the teams of the user.'),
  '409': refusal('In conflict with what is there.'),
  '413': refusal('The body is larger than 1 MiB.'),
  '429': refusal('A limit is reached; Retry-After says when it ends.'),
  '503': refusal('Not able to answer right now; try again after Retry-After seconds.'),
}

const refused = Object.fromEntries(
  Object.keys(refusals).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
)
