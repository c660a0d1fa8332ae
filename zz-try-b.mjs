import * as L from './zz-try-lib.mjs'
const b=await L.launch()
const p=await L.signIn(b,'operator','/scopes/production/qa/9001/configuration')
await L.settled(p)
await L.shot(p,'conf',true)
console.log(await L.main(p))
await b.close()
