// `npm start`: the service with its demo workspace, unless the environment disables it.
process.env.CHORUS_DEMO ??= '1'
// The child processes that share the port are started with this same command line.
if (process.argv[2] !== 'start') process.argv.splice(2, 0, 'start')
await import('./chorus.mjs')
