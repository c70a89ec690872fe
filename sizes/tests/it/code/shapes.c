/* Functions of many shapes, to be compiled only. */
typedef unsigned int u32; typedef unsigned char u8; typedef unsigned long size_t;
typedef __builtin_va_list va_list;
void ext(void); int ext1(int); void use(void*); void die(void) __attribute__((noreturn)); double extd(double,double); void *memcpy(void*,const void*,size_t); void many(int,int,int,int,int,int,int,int,int);
int leaf(int a){return a*3+1;}
void one(void){ ext(); ext(); }
int tail(int a){ return ext1(a+1); }
int tail_big(int a){ char b[40]; use(b); return ext1(a+b[3]); }
int sw(int x){ switch(x){case 0: ext(); return 1; case 1: return ext1(4); case 2: return ext1(5)+7; case 3: ext(); ext(); return 9; case 4: use(&x); return x; case 5: return 3; case 6: return ext1(x)*ext1(9); default: return -1;} }
int sw_big(int x){ int s=0; switch(x){
#define C(n) case n: s+=ext1(n)*(n+1); s^=ext1(s+n*77)+n*131; break;
C(0) C(1) C(2) C(3) C(4) C(5) C(6) C(7) C(8) C(9) C(10) C(11) C(12) C(13) C(14) C(15) C(16) C(17) C(18) C(19) C(20) C(21) C(22) C(23) C(24) C(25)
default: die(); } return s; }
void big(void){ char b[5000]; use(b); }
void bigger(void){ char b[70000]; use(b); use(b+3); }
void big508(void){ char b[508]; use(b); }
void vla(int n){ char b[n]; use(b); }
void alloc(int n){ use(__builtin_alloca(n)); ext(); }
int va(int n,...){ va_list l; __builtin_va_start(l,n); int s=0; while(n--) s+=__builtin_va_arg(l,int); __builtin_va_end(l); return s+ext1(s); }
int va_leaf(int n,...){ va_list l; __builtin_va_start(l,n); int s=__builtin_va_arg(l,int); return s; }
void va_tail(int n,...){ va_list l; __builtin_va_start(l,n); use(&l); }
double dbl(double a,double b,double c,double d){ double x=extd(a,b),y=extd(c,d),z=extd(a,d); return x*y+z*a+b*c+d+extd(x,z)+extd(y,x)*y; }
float flt(float a,float b,float c){ float x=(float)extd(a,b); ext(); return x*a+b*c; }
int rec(int n){ return n<2?1:rec(n-1)+rec(n-2); }
int rec_b(int); int rec_a(int n){ char b[16]; use(b); return n?rec_b(n-1)+1:0; } int rec_b(int n){ char b[32]; use(b); return n?rec_a(n-1)+2:1; }
int ptr(int(*f)(int),int a){ return f(a)+f(a+1); }
int ptr_tail(int(*f)(int),int a){ return f(a+1); }
void noret(int a){ if(a) die(); ext(); }
int noret2(int a,int*p){ if(a>10) die(); return p[a]; }
int noret3(int a,int*p){ if(a>10) die(); if(p[a]==3){ ext(); die(); } int s=0; for(int i=0;i<a;i++) s+=ext1(p[i]); return s; }
void __attribute__((noreturn)) end(void){ ext(); die(); }
void spin(void){ for(;;) ext(); }
void trap(int a){ if(!a) __builtin_trap(); ext(); }
void args(void){ many(1,2,3,4,5,6,7,8,9); ext(); }
struct S{ int a[20]; }; struct S ret_s(int a); struct S st(int a){ struct S s=ret_s(a); s.a[3]=a; use(&s); return s; }
int by_value(struct S s,int i){ return s.a[i]; }
int byval_call(int i){ struct S s=ret_s(i); return by_value(s,i)+ext1(i); }
void regs(int*p){ int a=p[0],b=p[1],c=p[2],d=p[3],e=p[4],f=p[5],g=p[6],h=p[7],i=p[8],j=p[9]; ext(); p[10]=a+b*c; use(p); p[0]=a+b+c+d+e+f+g+h+i+j; ext(); p[3]=a*b*c*d*e*f*g*h*i*j; use(p); p[4]=a^b^c^d^e^f^g^h^i^j; }
int loop(int n,int*p){ int s=0; for(int i=0;i<n;i++){ if(p[i]&1){ s+=ext1(p[i]); } else if (p[i]==6) return s; } return s; }
int shrink(int a,int*p){ if(!a) return 0; for(int i=0;i<a;i++) ext1(p[i]); ext(); return p[0]; }
void *label(int a){ static void*t[]={&&x,&&y,&&z}; goto *t[a]; x: ext(); return t; y: use(t); return 0; z: ext1(3); return (void*)3; }
u32 rotates(u32 a,u32 b){ for(int i=0;i<20;i++){ a=(a<<7|a>>25)^b; b+=a; } return a^b; }
unsigned long long div64(unsigned long long a,unsigned long long b){ return a/b+a%b; }
void fill(void){ u32 a[100]; for(int i=0;i<100;i++) a[i]=i; use(a); }
void nested(void){ big(); one(); tail_big(3); regs((int*)0); }
