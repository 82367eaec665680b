import { abilities } from '../permissions.ts'
import type { JsonSchema, Shape } from '../wire/fields.ts'
import type { Endpoint } from './endpoint.ts'
import { type ParameterField, parameterFields } from './parameter-fields.ts'

/** The OpenAPI 3.1 description of the interface, written from the endpoints themselves. */
export function describeInterface(endpoints: readonly Endpoint[], version: string) {
  const shapes = new Map<string, Shape<never>>()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {}
    Object.assign(paths[endpoint.path] as object, { [endpoint.method.toLowerCase()]: operation(endpoint, shapes) })
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chorus',
      version,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/v2' }],
    security: [{ basic: [] }],
    paths,
    components: {
      securitySchemes: { basic: { type: 'http', scheme: 'basic', description: 'Account id and API key.' } },
      responses: refusals,
      schemas: { ...describeShapes(shapes), Error: errorSchema },
    },
  }
}

const introduction = [
  'Parameters may be sent in the query, as a form or as JSON on every verb; the body wins.',
  'Arrays: `name[]=`, `name[0]=`, repeated `name=`, JSON text or comma-separated. Booleans: `1 0 true false`.',
  'Times are UTC. Every answer carries `Result`; errors carry `Errors.API.Error`.',
  'A POST with an `Idempotency-Key` header has its effect once within 24 hours.',
].join('\n\n')

function operation(endpoint: Endpoint, shapes: Map<string, Shape<never>>) {
  const { method, path, summary, needs, ownerOf, reply } = endpoint
  const fields = parameterFields(endpoint)
  const inPath = fields.filter(({ where }) => where === 'path')
  const sent = fields.filter(({ where }) => where === 'request')
  return {
    operationId: operationId(method, path),
    tags: [path.split('/')[1]],
    summary,
    description: ownerOf ? 'For everybody, without credentials.' : `Roles: ${abilities[needs].join(', ')}.`,
    ...(ownerOf && { security: [] }),
    parameters: [
      ...inPath.map(({ name, schema }) => ({ name, in: 'path', required: true, schema })),
      ...(method === 'GET' ? sent.map(({ name, required, schema }) => ({ name, in: 'query', required, schema })) : []),
    ],
    ...(method !== 'GET' && sent.length > 0 && { requestBody: requestBody(sent) }),
    responses: {
      '200': { description: 'Done.', content: { 'application/json': { schema: collect(reply.schema, shapes) } } },
      ...Object.fromEntries(
        Object.keys(refusals).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  }
}

const operationId = (method: string, path: string) =>
  method.toLowerCase() +
  path.replace(/\{\w+\}/g, 'one').replace(/[/-](\w)/g, (_, letter: string) => letter.toUpperCase())

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
  '403': refusal('The role may not do this.'),
  '404': refusal('Absent, of another account, or not visible to the teams of the user.'),
  '409': refusal('In conflict with what is there.'),
  '413': refusal('The body is larger than 1 MiB.'),
  '429': refusal('A limit is reached; Retry-After says when it ends.'),
  '503': refusal('Not able to answer right now; try again after Retry-After seconds.'),
}
