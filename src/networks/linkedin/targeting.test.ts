import { expect, test } from 'vitest'
import { NetworkError } from '../connector/connector.ts'
import type { Audience } from '../connector/draft.ts'
import { targetOf } from './publishing.ts'

test.each([
  ['2-10', 'SIZE_2_TO_10'],
  ['2 – 10', 'SIZE_2_TO_10'],
  ['2 to 10', 'SIZE_2_TO_10'],
  ['size_2_to_10', 'SIZE_2_TO_10'],
  ['urn:li:staffCountRange:(2,10)', 'SIZE_2_TO_10'],
  ['1', 'SIZE_1'],
  ['1-1', 'SIZE_1'],
  ['1,001-5,000', 'SIZE_1001_TO_5000'],
  ['5001-10000', 'SIZE_5001_TO_10000'],
  ['10001+', 'SIZE_10001_OR_MORE'],
  ['10,001 or more', 'SIZE_10001_OR_MORE'],
  ['SIZE_10001_OR_MORE', 'SIZE_10001_OR_MORE'],
])('the company size %s is accepted', (value, known) => {
  expect(targetOf({ CompanySize: [value] })).toEqual({ staffCountRanges: [known] })
})

test('ids and URNs are equivalent, and duplicates are removed', () => {
  expect(
    targetOf({
      Industry: ['4', 'urn:li:industry:4', ' 96 '],
      Function: ['12'],
      Seniority: ['urn:li:seniority:9'],
      Geography: ['103644278'],
    }),
  ).toEqual({
    industries: ['urn:li:industry:4', 'urn:li:industry:96'],
    jobFunctions: ['urn:li:function:12'],
    seniorities: ['urn:li:seniority:9'],
    geoLocations: ['urn:li:geo:103644278'],
  })
})

test('languages are converted to locales, with LinkedIn’s default country if it is missing', () => {
  expect(targetOf({ Language: ['en_US', 'en', 'EN-gb', 'de', 'pt_PT'] })).toEqual({
    interfaceLocales: [
      { language: 'en', country: 'US' },
      { language: 'en', country: 'GB' },
      { language: 'de', country: 'DE' },
      { language: 'pt', country: 'PT' },
    ],
  })
})

test.each<[Audience, string]>([
  [{ CompanySize: ['3-9'] }, '3-9'],
  [{ CompanySize: ['2-10-50'] }, '2-10-50'],
  [{ CompanySize: ['many'] }, 'many'],
  [{ CompanySize: ['10001-20000'] }, '10001-20000'],
  [{ Industry: ['Robotics'] }, 'Robotics'],
  [{ Industry: ['urn:li:geo:4'] }, 'urn:li:geo:4'],
  [{ Seniority: [''] }, '“”'],
  [{ Language: ['english'] }, 'english'],
  [{ Language: ['xx'] }, 'xx'],
])('%o is rejected with a message that contains the invalid value', (audience, value) => {
  expect(() => targetOf(audience)).toThrow(value)
  try {
    targetOf(audience)
  } catch (error) {
    expect((error as NetworkError).fault).toEqual({
      kind: 'permanent',
      why: 'input',
      field: Object.keys(audience)[0],
    })
  }
})

test('an empty audience means everyone', () => {
  expect(targetOf({})).toBeUndefined()
  expect(targetOf({ Industry: [], Language: undefined })).toBeUndefined()
})

test('an unknown facet is rejected', () => {
  expect(() => targetOf({ Hobby: ['chess'] } as Audience)).toThrow(NetworkError)
  expect(() => targetOf({ constructor: ['chess'] } as unknown as Audience)).toThrow(NetworkError)
})
