import numpy as np,time
for n in (1000,10000,100000):
    a=np.random.default_rng(0).standard_normal((n,256)).astype(np.float32); v=a[0].copy()
    for name,f in (('blas',lambda:a@v),('einsum',lambda:np.einsum('ij,j->i',a,v)),('dot',lambda:a.dot(v)),('vecdot',lambda:np.vecdot(a,v)),('inner1d-f16', None)):
        if f is None: continue
        f(); w=[];c=[]
        for _ in range(15):
            t=time.perf_counter(); p=time.process_time(); f(); w.append(time.perf_counter()-t); c.append(time.process_time()-p)
        print(n,name,'wall min %.3f med %.3f cpu med %.3f'%(min(w)*1e3,sorted(w)[7]*1e3,sorted(c)[7]*1e3))
