import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { describeInterface } from '#kernel/http/openapi.ts'
import { endpoints } from '#main/endpoints.ts'

test('the description is valid OpenAPI 3.1 and has every operation', async () => {
  const description = JSON.parse(JSON.stringify(describeInterface(endpoints, '0')))
  expect(await new Validator().validate(description)).toEqual({ valid: true })
  const operations = Object.entries(description.paths).flatMap(([path, verbs]) =>
    Object.keys(verbs as object).map((verb) => `${verb.toUpperCase()} ${path}`),
  )
  expect(operations.sort()).toEqual(endpoints.map(({ method, path }) => `${method} ${path}`).sort())
})

test('the committed description is the one of these endpoints', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(JSON.parse(readFileSync('openapi.json', 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(describeInterface(endpoints, version))),
  )
})
