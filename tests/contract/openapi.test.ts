import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { describeConsole, describeInterface } from '#kernel/http/openapi.ts'
import { appEndpoints, downloads, endpoints, intakes, streams } from '#main/endpoints.ts'

const version: string = JSON.parse(readFileSync('package.json', 'utf8')).version
const beside = [
  ...intakes.map(({ path }) => `PUT ${path}`),
  ...[...downloads, ...streams].map(({ path }) => `GET ${path}`),
]

const descriptions = [
  ['openapi.json', describeInterface(endpoints, version), endpoints, []],
  ['app-openapi.json', describeConsole(appEndpoints, { intakes, downloads, streams }, version), appEndpoints, beside],
] as const

test.each(descriptions)(
  '%s is valid OpenAPI 3.1, has every operation, and is committed',
  async (file, made, of, more) => {
    const description = JSON.parse(JSON.stringify(made))
    expect(await new Validator().validate(description)).toEqual({ valid: true })
    const operations = Object.entries(description.paths).flatMap(([path, verbs]) =>
      Object.keys(verbs as object).map((verb) => `${verb.toUpperCase()} ${path}`),
    )
    expect(operations.sort()).toEqual([...of.map(({ method, path }) => `${method} ${path}`), ...more].sort())
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(description)
  },
)
