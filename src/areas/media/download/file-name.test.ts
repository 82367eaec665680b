import { expect, test } from 'vitest'
import { mimeIn, nameIn } from './file-name.ts'

test('the file name comes from the server, or else from the URL', () => {
  const cases: [string | undefined, string, string | undefined][] = [
    [undefined, 'https://a.example/b/c%20d.png?e=f.gif#g', 'c d.png'],
    [undefined, 'https://a.example/b/%E4%BD%A0.png', '你.png'],
    [undefined, 'https://a.example/100%.png', '100%.png'],
    [undefined, 'https://a.example/', undefined],
    [undefined, 'https://a.example/a%2F..%2F..', undefined],
    ['inline', 'https://a.example/b.png', 'b.png'],
    ['attachment; filename=plain.png', 'https://a.example/', 'plain.png'],
    ['attachment; filename="a \\"quoted\\"; name.png"', 'https://a.example/', 'a "quoted"; name.png'],
    ['attachment; FileName="a.png"; filename*=UTF-8\'en\'%e2%82%ac.png', 'https://a.example/', '€.png'],
    ["attachment; filename*=iso-8859-1''caf%e9.png", 'https://a.example/', 'café.png'],
    ['attachment; filename*=UTF-8\'\'%ff.png; filename="b.png"', 'https://a.example/', 'b.png'],
    ['attachment; filename="x; filename*=UTF-8\'\'evil.exe"', 'https://a.example/', "x; filename*=UTF-8''evil.exe"],
    [`attachment; filename="${Buffer.from('grün.png').toString('latin1')}"`, 'https://a.example/', 'grün.png'],
    ['attachment; filename="caf\xe9.png"', 'https://a.example/', 'café.png'],
    ['attachment; filename="../../etc/passwd"', 'https://a.example/', 'passwd'],
    ['attachment; filename="C:\\\\fakepath\\\\a.png"', 'https://a.example/', 'a.png'],
    ["attachment; filename*=UTF-8''a%00b%0d%0a%e2%80%aegnp.exe", 'https://a.example/', 'abgnp.exe'],
    ['attachment; filename=".."', 'https://a.example/b.png', 'b.png'],
  ]
  for (const [disposition, url, name] of cases) {
    expect(nameIn(url, { 'content-disposition': disposition }), `${disposition} ${url}`).toBe(name)
  }
})

test('a long name keeps its extension and whole characters', () => {
  const name = nameIn(`https://a.example/${'😀'.repeat(300)}.jpeg`, {}) ?? ''
  expect(name.length).toBeLessThanOrEqual(255)
  expect(name).toMatch(/^(😀)+\.jpeg$/u)
  expect(nameIn(`https://a.example/${'a'.repeat(300)}`, {})).toHaveLength(255)
})

test('the type is one that can be uploaded, or undefined', () => {
  const cases: [string | undefined, string | undefined, string | undefined][] = [
    ['video/mp4', undefined, 'video/mp4'],
    ['IMAGE/JPG; charset=utf-8', undefined, 'image/jpeg'],
    ['application/pdf', 'a.png', 'application/pdf'],
    ['application/octet-stream', 'a.PNG', 'image/png'],
    [undefined, 'a.b.jpeg', 'image/jpeg'],
    [undefined, 'gif', undefined],
    [undefined, undefined, undefined],
    ['image/webp', 'a.png', undefined],
    ['text/html', 'a.png', undefined],
    ['application/zip', 'a.zip', undefined],
  ]
  for (const [type, name, mime] of cases) {
    expect(mimeIn({ 'content-type': type }, name), `${type} ${name}`).toBe(mime)
  }
})
