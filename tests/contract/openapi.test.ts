import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { appEndpoints, descriptionsOf, downloads, endpoints, intakes, streams } from '#main/registry.ts'

/** Rules that matter to tools that read the OpenAPI documents; `npm run lint:api` also runs public linters and a validating proxy. */

interface Media {
  schema?: object
  example?: unknown
}

interface Operation {
  operationId: string
  tags: string[]
  parameters: { name: string; in: string; schema: Schema }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { $ref?: string; content?: Record<string, Media> }>
}

type Schema = { $ref?: string; anyOf?: Schema[]; type?: string; properties?: Record<string, Schema> }

interface Document {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { responses: Record<string, { content: Record<string, Media> }>; schemas: Record<string, Schema> }
}

const otherOperations = [
  ...intakes.map(({ path }) => `PUT ${path}`),
  ...[...downloads, ...streams].map(({ path }) => `GET ${path}`),
]
const declared: Record<string, string[]> = {
  '/openapi.json': endpoints.map(({ method, path }) => `${method} ${path}`),
  '/app-openapi.json': [...appEndpoints.map(({ method, path }) => `${method} ${path}`), ...otherOperations],
}

describe.each(descriptionsOf(endpoints))('$file', ({ file, content }) => {
  const document = JSON.parse(JSON.stringify(content())) as Document
  const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ ...operation, route: `${verb.toUpperCase()} ${path}` })),
  )
  const ajv = new Ajv2020({ strict: false, validateSchema: false, validateFormats: false }).addSchema(document, file)
  /** Why a value does not match the schema at a location of the document; undefined if it does. */
  const schemaError = (location: string[], value: unknown) => {
    const pointer = location
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    const validate = ajv.compile({ $ref: `${file}#/${pointer}` })
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }

  test('is valid OpenAPI 3.1, contains every operation, and matches the committed file', async () => {
    expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true })
    expect(operations.map(({ route }) => route).sort()).toEqual(declared[file]?.toSorted())
    expect(JSON.parse(readFileSync(file.slice(1), 'utf8'))).toEqual(document)
  })

  test('has a unique operation id for each operation, starting with a verb', () => {
    const ids = operations.map(({ operationId }) => operationId)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([])
  })

  test('declares exactly the tags in use, with descriptions', () => {
    const used = new Set(operations.flatMap(({ tags }) => tags))
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort())
    for (const { name, description } of document.tags) expect(description, name).toMatch(/\.$/)
  })

  test('has no ambiguous paths', () => {
    const paths = Object.keys(document.paths)
    expect(paths.filter((path, index) => paths.slice(0, index).some((other) => areAmbiguous(path, other)))).toEqual([])
  })

  test('has an example of every text response that matches its schema', () => {
    const problems = operations.flatMap(({ route }) => {
      const [verb = '', path = ''] = route.split(' ')
      const location = ['paths', path, verb.toLowerCase(), 'responses', '200', 'content']
      const answers = document.paths[path]?.[verb.toLowerCase()]?.responses['200']?.content ?? {}
      return Object.entries(answers).flatMap(([type, { example }]) => {
        if (/^(image|application\/octet)/.test(type)) return []
        if (example === undefined) return `${route} has none`
        const why = schemaError([...location, type, 'schema'], example)
        return why ? `${route}: ${why}` : []
      })
    })
    expect(problems).toEqual([])
  })

  test('has an example of every error', () => {
    for (const [status, { content: answers }] of Object.entries(document.components.responses)) {
      const example = answers['application/json']?.example
      expect(example, status).toMatchObject({ Result: false, Errors: { API: { Error: expect.stringMatching(/\.$/) } } })
      expect(schemaError(['components', 'schemas', 'Error'], example), status).toBeUndefined()
    }
  })

  test('accepts booleans, lists and objects as text, as in queries and forms', () => {
    const described = [
      ...operations.flatMap(({ route, parameters }) =>
        parameters.map(({ name, schema }) => [`${route} ${name}`, schema] as const),
      ),
      ...Object.entries(document.components.schemas)
        .filter(([title]) => title.endsWith('Request'))
        .flatMap(([title, { properties = {} }]) =>
          Object.entries(properties).map(([name, schema]) => [`${title}.${name}`, schema] as const),
        ),
    ]
    const flags = described.filter(([, { $ref }]) => $ref === '#/components/schemas/Flag')
    const lists = described.filter(([, { anyOf = [] }]) =>
      anyOf.some(({ type }) => type === 'array' || type === 'object'),
    )
    expect(flags.length).toBeGreaterThan(10)
    expect(lists.length).toBeGreaterThan(10)
    for (const value of ['1', '0', 'true', 'false', 1, 0, true, false])
      expect(schemaError(['components', 'schemas', 'Flag'], value), String(value)).toBeUndefined()
    expect(schemaError(['components', 'schemas', 'Flag'], 'yes')).toBeDefined()
    for (const [where, { anyOf = [] }] of lists)
      expect(
        anyOf.map(({ type }) => type),
        where,
      ).toContain('string')
    const plain = described.filter(([, { type }]) => type === 'array' || type === 'object' || type === 'boolean')
    expect(plain.map(([where]) => where)).toEqual([])
  })
})

/** The same number of segments, each equal or a parameter in one of the two, and the same number of parameters. */
function areAmbiguous(one: string, other: string): boolean {
  const [parts, others] = [one.split('/'), other.split('/')]
  const isParameter = (part = '') => part.startsWith('{')
  const count = (of: string[]) => of.filter(isParameter).length
  return (
    parts.length === others.length &&
    count(parts) === count(others) &&
    parts.every((part, index) => part === others[index] || isParameter(part) || isParameter(others[index]))
  )
}
