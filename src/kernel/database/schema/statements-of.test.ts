import { expect, test } from 'vitest'
import { migrationFolders } from '#main/project.ts'
import { statementsOf } from './migrate.ts'
import { readMigrationFiles } from './migration-files.ts'

test.each([
  ['an empty script', '', []],
  ['only comments', '-- nothing; at all\n/* and; nothing */', []],
  [
    'several statements, the last one unterminated',
    'select 1; select 2;\nselect 3',
    ['select 1', 'select 2', 'select 3'],
  ],
  ['a semicolon in a string', `select 'a;b', 'it''s;c'; select 2`, [`select 'a;b', 'it''s;c'`, 'select 2']],
  ['a semicolon in an identifier', 'select 1 as "a;""b"; select 2', ['select 1 as "a;""b"', 'select 2']],
  ['a semicolon in a comment', 'select 1 -- a; b\n, 2; select 3', ['select 1 -- a; b\n, 2', 'select 3']],
  ['a quote in a comment', `select 1 -- it's\n; select 2 /* it's; */`, [`select 1 -- it's`, "select 2 /* it's; */"]],
  ['a semicolon in a function body', 'do $$ begin; end $$; select 1', ['do $$ begin; end $$', 'select 1']],
  ['a semicolon in a tagged function body', 'do $a$ $$;$$ ; $a$; select $1', ['do $a$ $$;$$ ; $a$', 'select $1']],
  ['an unterminated string', `select 'a; b`, [`select 'a; b`]],
])('%s', (_, script, statements) => {
  expect(statementsOf(script)).toEqual(statements)
})

test('splitting a migration into statements preserves its text', async () => {
  const { current, former } = await readMigrationFiles(migrationFolders)
  for (const { sql: script } of [former.base, ...former.upgrades, ...current]) {
    const statements = statementsOf(script)
    const bare = (text: string) => text.replace(/--.*$/gm, '').replace(/[\s;]+/g, '')
    expect(bare(statements.join(';'))).toBe(bare(script))
    for (const statement of statements) {
      expect(bare(statement)).toMatch(/^(create|alter|insert|update|delete|drop|revoke|grant|do|with|select|comment)/)
    }
  }
})

test('a long script is split in linear time', () => {
  const script = `select '${'$a'.repeat(500_000)}';`.repeat(2)
  expect(statementsOf(script)).toHaveLength(2)
})
